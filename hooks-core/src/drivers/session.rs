//! The driver of a session, from its start to its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tower_service::Service;

use super::moment::Moment;
use super::{
    Compaction, Compactor, Govern, GovernModel, GovernSpawn, Router, Tally, ToolCall, ToolResult, refusal,
};
use crate::context::HookContext;
use crate::error::BoxError;
use crate::event::{
    AgentSwitched, EndReason, ErrorOccurred, EventKind, Level, MaxIterations, Notification, PostCompact,
    PreCompact, PromptKind, SessionEnd, SessionStart, Stop, TurnEnd, TurnEndReason, TurnStart,
    UserInputRequested, UserPromptSubmitted, WorktreeCreated,
};
use crate::outcome::{ContextPatch, Gate, Judged, PromptOutcome, Recovery};
use crate::set::Live;
use crate::time::Timestamp;

/// Drives all of a session except its tools and models: start, prompts, turns, compaction, stop, end.
///
/// Each method is a moment of an agent loop and fires the events of that moment. If the session is dropped
/// without [`Session::end`], it still fires `session_end`, as aborted; a dropped [`Turn`] fires `turn_end`.
///
/// ```
/// use hooks_core::drivers::{Prompted, Session};
/// use hooks_core::event::{PromptKind, SessionStart, UserPromptSubmitted};
/// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
///
/// let no_keys = policy_fn("no-keys", |request: &HookRequest<UserPromptSubmitted>| {
///     match request.event().prompt.contains("sk-") {
///         true => Verdict::deny(Reason::new("no-keys", "key", "the message has a key; remove it")),
///         false => Verdict::NO_OPINION,
///     }
/// });
/// let hooks = Hooks::builder().policy(no_keys).build();
///
/// # futures_util::FutureExt::now_or_never(async {
/// let context = HookContext::new("session-1", "backend");
/// let (session, _additions) = Session::start(hooks, context, SessionStart::default()).await;
/// let prompted = session.prompt("my key is sk-123", PromptKind::Initial).await;
/// assert!(matches!(prompted, Prompted::Stopped(why, _) if why == "the message has a key; remove it"));
/// assert!(matches!(session.prompt("hello", PromptKind::FollowUp).await, Prompted::Accepted(..)));
/// # }).expect("no hook waits");
/// ```
#[derive(Debug)]
pub struct Session {
    hooks: Live,
    context: Arc<HookContext>,
    tally: Arc<Tally>,
    turns: AtomicU64,
    started: Timestamp,
    ended: bool,
}

/// Decision of the hooks about a user message.
#[derive(Debug)]
#[non_exhaustive]
pub enum Prompted {
    /// The message goes to the model with this text, and with the additions of the hooks.
    Accepted(String, PromptOutcome),
    /// The message does not go to the model, for this reason.
    Stopped(String, PromptOutcome),
}

impl Session {
    /// Starts or resumes a session. Returns the additions of the hooks.
    pub async fn start(
        hooks: impl Into<Live>,
        context: impl Into<Arc<HookContext>>,
        start: SessionStart,
    ) -> (Self, ContextPatch) {
        let context = context.into();
        let session = Self {
            hooks: hooks.into(),
            started: context.environment.clock.now(),
            context,
            tally: Arc::default(),
            turns: AtomicU64::new(0),
            ended: false,
        };
        let patch = session.moment().tell(start).await;
        (session, patch)
    }

    /// Has the hooks decide about a message of the user.
    pub async fn prompt(&self, prompt: impl Into<String>, kind: PromptKind) -> Prompted {
        let decision = self.moment().gate(UserPromptSubmitted::new(prompt, kind)).await;
        if decision.outcome.goes_ahead() {
            Prompted::Accepted(decision.request.event().prompt.clone(), decision.outcome)
        } else {
            Prompted::Stopped(refusal(decision.outcome.text_for_agent()), decision.outcome)
        }
    }

    /// Starts a turn. Returns the additions of the hooks, which are valid for this turn only.
    pub async fn turn(&self) -> (Turn, ContextPatch) {
        let iteration = self.turns.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        // One set of hooks from the start of the turn to its end.
        let moment = self.moment();
        let turn = Turn { moment: Some(moment.clone()), iteration };
        let patch = moment.tell(TurnStart::new(iteration)).await;
        (turn, patch)
    }

    /// Asks the hooks after the model finished its response. If the answer is a stop, the agent must go on;
    /// the reason is the text that the model reads.
    pub async fn stop(&self, stop: Stop) -> Gate<Stop> {
        self.moment().gate(stop).await.outcome
    }

    /// Asks the hooks after the iteration limit was reached, or after the user allowed more iterations. If
    /// the answer is a stop, the run ends.
    pub async fn max_iterations(&self, mut reached: MaxIterations) -> Gate<MaxIterations> {
        let moment = self.moment();
        let MaxIterations { limit, resumed, previous_limit, .. } = reached;
        let message =
            reached.message.get_or_insert_with(|| match (resumed, previous_limit.unwrap_or(limit)) {
                (false, _) => format!("the agent reached its cap of {limit} iterations"),
                (true, cap) => {
                    format!("the agent goes on beyond its cap of {cap} iterations, as the user allowed")
                }
            });
        let message = message.clone();
        let outcome = moment.gate(reached).await.outcome;
        moment.tell(Notification::new(Level::Warning, message)).await;
        outcome
    }

    /// Asks the hooks before the context is compacted.
    pub async fn compact(&self, compaction: PreCompact) -> Compaction {
        self.compactor().ask(&self.context, compaction).await
    }

    /// Reports a finished compaction to the hooks.
    pub async fn compacted(&self, done: PostCompact) {
        self.compactor().done(&self.context, done).await;
    }

    /// Returns the driver of the session's compactions, for a layer that compacts on its own.
    pub fn compactor(&self) -> Compactor {
        Compactor::new(self.hooks.clone())
    }

    /// Reports a failure that no other driver saw.
    pub async fn fail(&self, error: ErrorOccurred) -> Recovery {
        self.moment().fail(error).await
    }

    /// Reports a notification of the runtime.
    pub async fn notify(&self, level: Level, message: impl Into<String>) {
        self.moment().tell(Notification::new(level, message)).await;
    }

    /// Reports that the agent waits for the user.
    ///
    /// ```
    /// use hooks_core::drivers::Session;
    /// use hooks_core::event::{SessionStart, UserInputRequested};
    /// use hooks_core::observer::Observer;
    /// use hooks_core::{HookContext, HookRequest, Hooks};
    ///
    /// struct Bell;
    ///
    /// impl Observer<UserInputRequested> for Bell {
    ///     fn name(&self) -> &str {
    ///         "bell"
    ///     }
    ///
    ///     fn observe(&self, request: &HookRequest<UserInputRequested>, _outcome: &()) {
    ///         println!("\u{7}{}", request.event().question);
    ///     }
    /// }
    ///
    /// # tokio_test::block_on(async {
    /// let hooks = Hooks::builder().listener(Bell).build();
    /// let (session, _) = Session::start(hooks, HookContext::default(), SessionStart::default()).await;
    /// session.wait_for_user("Which branch shall I use?").await;
    /// # });
    /// ```
    pub async fn wait_for_user(&self, question: impl Into<String>) {
        self.moment().tell(UserInputRequested::new(question)).await;
    }

    /// Reports that the agent hands over to another. Afterwards, the session's context names the new agent.
    pub async fn switch_agent(&mut self, to: impl Into<String>) {
        let to = to.into();
        let switched = AgentSwitched::new(self.context.agent_name.clone(), to.clone());
        self.moment().tell(switched).await;
        let mut context = HookContext::clone(&self.context);
        context.agent_name = to;
        self.context = Arc::new(context);
    }

    /// Asks the hooks after a working copy was created for the session. If the answer is a stop, the working
    /// copy is refused.
    pub async fn worktree(&self, created: WorktreeCreated) -> Gate<WorktreeCreated> {
        self.moment().gate(created).await.outcome
    }

    /// Ends the session.
    pub async fn end(mut self, reason: EndReason, error: Option<String>) {
        self.ended = true;
        let end = self.ending(reason, error);
        self.moment().tell(end).await;
    }

    /// Governs the session's tools.
    pub fn tools<S>(&self, tools: S) -> Govern<S>
    where
        S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>, Future: Send>
            + Clone
            + Send
            + 'static,
    {
        Govern::new(self.hooks.clone(), tools).counting(Arc::clone(&self.tally))
    }

    /// Governs the session's model.
    pub fn model<S>(&self, model: S) -> GovernModel<S> {
        GovernModel::new(self.hooks.clone(), model).counting(Arc::clone(&self.tally))
    }

    /// Governs the creation of the session's children.
    pub fn spawner<S>(&self, spawner: S) -> GovernSpawn<S> {
        GovernSpawn::new(self.hooks.clone(), spawner)
    }

    /// Governs the routing of the session's tasks.
    pub fn router<S>(&self, router: S) -> Router<S> {
        Router::new(self.hooks.clone(), router)
    }

    /// Context of the session.
    pub const fn context(&self) -> &Arc<HookContext> {
        &self.context
    }

    /// The session's hooks.
    pub const fn hooks(&self) -> &Live {
        &self.hooks
    }

    /// Counts of what the session used so far.
    pub const fn tally(&self) -> &Arc<Tally> {
        &self.tally
    }

    fn moment(&self) -> Moment {
        Moment::new(self.hooks.snapshot(), self.context.for_call(None))
    }

    fn ending(&self, reason: EndReason, error: Option<String>) -> SessionEnd {
        let lasted = self.context.environment.clock.now().since(self.started);
        SessionEnd {
            tokens_used: self.tally.tokens(),
            tool_call_count: self.tally.tool_calls(),
            files_modified: self.tally.files(),
            duration_ms: u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX),
            reason,
            error,
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let (moment, end) = (self.moment(), self.ending(EndReason::Abort, None));
        Moment::abandon(&self.context, EventKind::SessionEnd, async move { moment.tell(end).await });
    }
}

/// One turn: a model call and its tools. If it is dropped, it still fires `turn_end`, as canceled.
pub struct Turn {
    moment: Option<Moment>,
    iteration: u64,
}

impl Turn {
    /// Number of the turn in the session, from 1.
    pub const fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Ends the turn.
    pub async fn end(mut self, reason: TurnEndReason) {
        if let Some(moment) = self.moment.take() {
            moment.later().tell(TurnEnd::new(self.iteration, reason)).await;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let Some(moment) = self.moment.take() else { return };
        let end = TurnEnd::new(self.iteration, TurnEndReason::Canceled);
        let context = Arc::clone(&moment.context);
        Moment::abandon(&context, EventKind::TurnEnd, async move { moment.later().tell(end).await });
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn").field("iteration", &self.iteration).finish_non_exhaustive()
    }
}
