//! Counts of events in a session that the end event does not include.

use std::sync::Arc;

use hooks_core::event::{AfterModelCall, PostToolUse, PreToolUse, SubagentStart, UserPromptSubmitted};
use hooks_core::state::{StateStore, StoreError};
use hooks_core::{
    Decision, Event, Gate, HookContext, HookRequest, Judged, Observer, PromptOutcome, ResultPatch,
};
use serde::{Deserialize, Serialize};

use super::kept_counts::KeptCounts;
use crate::sessions::Sessions;

/// The most sessions that are counted at once. Beyond it, the session without events for the longest time
/// loses its counts.
const MOST: usize = 4_096;

/// Name of the tool with which a model records a decision.
const DECIDE: &str = "squad_decide";

/// Counts events in the sessions of this process.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::session_end::SessionTally;
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tally = Arc::new(SessionTally::default());
/// let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
///     Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell"))
/// });
/// let hooks = Hooks::builder().policy(no_shell).observer::<PreToolUse>(tally.clone()).build();
/// let context = HookContext::new("session-1", "backend");
/// hooks.on(context.clone()).pre_tool_use(PreToolUse::new("bash", ().into())).await;
/// assert_eq!(tally.take(&context).denials, 1);
/// assert_eq!(tally.take(&context).denials, 0); // the counts were taken
/// # }
/// ```
#[derive(Debug)]
pub struct SessionTally(Sessions<Counts>);

/// Counts of one session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Counts {
    /// Decisions that a model recorded.
    pub decisions: u64,
    /// Standing wishes that were found.
    pub directives: u64,
    /// Prompts and tool calls that hooks changed.
    pub rewrites: u64,
    /// Prompts, tool calls and children that hooks denied.
    pub denials: u64,
    /// Cost of the model calls, in millionths of a US dollar, as far as it was reported.
    pub cost_micro_usd: u64,
    /// Tool calls that ran, for hosts that do not report their number at the end.
    #[serde(skip_serializing_if = "is_zero")]
    pub seen_calls: u64,
    /// Tokens that models used, for hosts that do not report their number at the end.
    #[serde(skip_serializing_if = "is_zero")]
    pub seen_tokens: u64,
}

impl Counts {
    /// Adds the counts of other events.
    pub(super) const fn add(&mut self, other: &Self) {
        let Self { decisions, directives, rewrites, denials, cost_micro_usd, seen_calls, seen_tokens } =
            *other;
        self.decisions = self.decisions.saturating_add(decisions);
        self.directives = self.directives.saturating_add(directives);
        self.rewrites = self.rewrites.saturating_add(rewrites);
        self.denials = self.denials.saturating_add(denials);
        self.cost_micro_usd = self.cost_micro_usd.saturating_add(cost_micro_usd);
        self.seen_calls = self.seen_calls.saturating_add(seen_calls);
        self.seen_tokens = self.seen_tokens.saturating_add(seen_tokens);
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature of `skip_serializing_if`")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Default for SessionTally {
    fn default() -> Self {
        Self(Sessions::most(MOST))
    }
}

impl SessionTally {
    /// Returns the counts of the session of `context`, and forgets them.
    pub fn take(&self, context: &HookContext) -> Counts {
        self.0.take(context).unwrap_or_default()
    }

    /// Moves the counts of the session of `context` to `store`, where those of other processes are added. A host with
    /// a process for each event calls this after the event.
    ///
    /// # Errors
    /// Returns an error if the store does.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_context::session_end::SessionTally;
    /// use hooks_core::event::{PostToolUse, PreToolUse};
    /// use hooks_core::state::Memory;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_core::{HookContext, Hooks};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let tally = Arc::new(SessionTally::default());
    /// let hooks = Hooks::builder().observer::<PostToolUse>(tally.clone()).build();
    /// let context = HookContext::new("session-1", "backend");
    /// let call = PreToolUse::new("bash", ().into());
    /// hooks.on(context.clone()).post_tool_use(PostToolUse::after(&call, "done".into(), None, 12)).await;
    ///
    /// let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
    /// tally.keep(&context, store.clone()).await?;
    /// assert_eq!(tally.take(&context).seen_calls, 0); // the store has it now
    /// # Ok(())
    /// # }
    /// ```
    pub async fn keep(&self, context: &HookContext, store: Arc<dyn StateStore>) -> Result<(), StoreError> {
        match self.0.take(context) {
            Some(counts) if counts != Counts::default() => {
                KeptCounts::in_store(store).add(context, &counts).await
            }
            _ => Ok(()),
        }
    }

    /// Counts a denial that the hooks did not decide: the client cannot do what they decided.
    pub fn denied_by_client(&self, context: &HookContext) {
        self.count(context, |counts| counts.denials = counts.denials.saturating_add(1));
    }

    fn count(&self, context: &HookContext, count: impl FnOnce(&mut Counts)) {
        self.0.change(context, count);
    }

    fn judged<E: Event>(
        &self,
        request: &HookRequest<E>,
        outcome: &impl Judged<E>,
        more: impl Fn(&mut Counts),
    ) {
        self.count(request.context(), |counts| {
            counts.denials = counts.denials.saturating_add(u64::from(outcome.is_denied()));
            let is_changed = outcome.effective().is_some() || request.revision() > 0;
            counts.rewrites = counts.rewrites.saturating_add(u64::from(is_changed));
            more(counts);
        });
    }
}

impl Observer<UserPromptSubmitted> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<UserPromptSubmitted>, outcome: &PromptOutcome) {
        let found = outcome.notes().map_or(0, |notes| notes.directives.len() as u64);
        self.judged(request, outcome, |counts| counts.directives = counts.directives.saturating_add(found));
    }
}

impl Observer<PreToolUse> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<PreToolUse>, outcome: &Decision<PreToolUse>) {
        let decides = request.event().tool_name == DECIDE && outcome.goes_ahead();
        self.judged(request, outcome, |counts| {
            counts.decisions = counts.decisions.saturating_add(u64::from(decides));
        });
    }
}

impl Observer<SubagentStart> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<SubagentStart>, outcome: &Decision<SubagentStart>) {
        self.judged(request, outcome, |_| {});
    }
}

impl Observer<AfterModelCall> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<AfterModelCall>, _outcome: &Gate<AfterModelCall>) {
        let AfterModelCall { cost, usage, .. } = request.event();
        let tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        self.count(request.context(), |counts| {
            counts.cost_micro_usd = counts.cost_micro_usd.saturating_add(cost.unwrap_or_default().0);
            counts.seen_tokens = counts.seen_tokens.saturating_add(tokens);
        });
    }
}

impl Observer<PostToolUse> for SessionTally {
    fn name(&self) -> &'static str {
        "session_tally"
    }

    fn observe(&self, request: &HookRequest<PostToolUse>, _outcome: &ResultPatch) {
        self.count(request.context(), |counts| counts.seen_calls = counts.seen_calls.saturating_add(1));
    }
}
