//! The driver of tool calls: what may run, with which arguments, and which result is returned.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower::ServiceExt;
use tower_service::Service;

use super::moment::Moment;
use super::{Approval, ApprovalRequest, Approver, CallError, NoApprover, Tally, refusal};
use crate::context::HookContext;
use crate::error::{BoxError, HookError};
use crate::event::{
    ErrorOccurred, ErrorType, EventKind, PermissionRequest, PostToolUse, PreToolUse, ToolDecided,
    UserInputRequested, VerdictSource,
};
use crate::failure::record;
use crate::future::HookFuture;
use crate::inner_accessors;
use crate::outcome::{Decision, Holds, Judged, Outcome, Recovery, ResultPatch};
use crate::set::{Ending, EventDecision, Live};
use crate::verdict::{Reason, Strength, Verdict};

/// A tool call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call.
    #[serde(default)]
    pub args: Value,
    /// Id of the call, given by the client. A repeated reservation with the same id counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Kind of tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether the tool changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
}

impl ToolCall {
    /// A call of `tool` with `args`.
    pub fn new(tool: impl Into<String>, args: Value) -> Self {
        Self { name: tool.into(), args, ..Self::default() }
    }

    fn into_event(self) -> PreToolUse {
        PreToolUse {
            tool_name: self.name,
            tool_args: self.args,
            tool_use_id: self.id,
            category: self.category,
            read_only: self.read_only,
        }
    }

    fn of_event(event: &PreToolUse) -> Self {
        let PreToolUse { tool_name, tool_args, tool_use_id, category, read_only } = event.clone();
        Self { name: tool_name, args: tool_args, id: tool_use_id, category, read_only }
    }
}

/// Result of a tool.
///
/// ```
/// use hooks_core::drivers::ToolResult;
///
/// let result = ToolResult::failed("no such host").wrote(["log.txt".to_owned()]);
/// assert_eq!(result.error.as_deref(), Some("no such host"));
/// assert_eq!(result.files_modified, ["log.txt"]); // counted for the session, also after a failure
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolResult {
    /// Content of the result.
    pub content: Value,
    /// Error message, if the tool failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Files that the tool wrote, for the session's tally.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
}

impl ToolResult {
    /// The result of a successful call.
    pub fn ok(content: impl Into<Value>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// The result of a failed call.
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }

    /// Sets the error message of a result.
    #[must_use]
    pub fn with_error(mut self, error: Option<String>) -> Self {
        self.error = error;
        self
    }

    /// Adds files that were written.
    #[must_use]
    pub fn wrote(mut self, files: impl IntoIterator<Item = String>) -> Self {
        self.files_modified.extend(files);
        self
    }
}

/// A tool call with its context.
#[derive(Clone, Debug)]
pub struct ToolRequest {
    /// Context of the call.
    pub context: Arc<HookContext>,
    /// The call.
    pub call: ToolCall,
}

/// Answer of [`Govern`] to a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Governed {
    /// The call as it was judged and, unless it was denied, as it ran.
    pub call: ToolCall,
    /// Decision of the hooks before the call, with all reasons, context and messages.
    pub decision: Decision<PreToolUse>,
    /// Source of the decision.
    pub source: VerdictSource,
    /// Outcome of the call.
    pub outcome: ToolOutcome,
}

/// Outcome of a tool call.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolOutcome {
    /// The tool did not run, for this reason.
    Denied(String),
    /// The tool ran. The result is as the later hooks left it, with their notes.
    Ran(ToolResult, ResultPatch),
    /// The tool ran, and its result is withheld for this reason.
    Withheld(String, ResultPatch),
    /// The tool failed, with the notes of the later hooks and their proposals for a recovery.
    Failed(ToolResult, ResultPatch, Recovery),
}

/// Governs a tool executor `S`: it has a call rewritten and judged, asks the user, reserves, calls the tool,
/// and has the result checked. All steps use the same snapshot of the hooks.
///
/// Events: `pre_tool_use` first; `permission_request` and `user_input_requested` if the user would be asked;
/// then `tool_decided`. If the tool ran, `post_tool_use` follows, and after a failure `error_occurred` and
/// `notification`. If the future is dropped while the tool runs, `post_tool_use` still fires, with an error.
///
/// A denial is an answer, not an error. An executor that returns an error counts as a tool that failed. The
/// service is always ready: it drives the readiness of a clone of the executor after the call was allowed, so
/// that no permit is held during a wait. It boxes one future per call.
#[derive(Clone, Debug)]
pub struct Govern<S, A = NoApprover> {
    tools: S,
    approver: A,
    hooks: Live,
    undecided: Strength,
    tally: Arc<Tally>,
}

impl<S> Govern<S> {
    /// Governs `tools` by `hooks`. Without an approver, an ask is a denial. A call that no hook has an
    /// opinion on runs.
    pub fn new(hooks: impl Into<Live>, tools: S) -> Self
    where
        // As below, so that the compiler names the wrong type here and not at the call.
        S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>, Future: Send>
            + Clone
            + Send
            + 'static,
    {
        Self::around_any(hooks.into(), tools)
    }

    pub(super) fn around_any(hooks: Live, tools: S) -> Self {
        Self { tools, approver: NoApprover, hooks, undecided: Strength::Allow, tally: Arc::default() }
    }
}

impl<S, A> Govern<S, A> {
    /// Sends questions to `approver`.
    pub fn with_approver<B>(self, approver: B) -> Govern<S, B> {
        let Self { tools, approver: _, hooks, undecided, tally } = self;
        Govern { tools, approver, hooks, undecided, tally }
    }

    /// Sets the decision for a call that no hook has an opinion on: allow (the default), ask or deny.
    #[must_use]
    pub fn undecided(mut self, strength: Strength) -> Self {
        self.undecided = strength;
        self
    }

    /// Adds to the counts of `tally`.
    #[must_use]
    pub fn counting(mut self, tally: Arc<Tally>) -> Self {
        self.tally = tally;
        self
    }

    /// The same driver around other `tools`.
    pub(super) fn around<T>(&self, tools: T) -> Govern<T, A>
    where
        A: Clone,
    {
        let (approver, hooks, tally) = (self.approver.clone(), self.hooks.clone(), Arc::clone(&self.tally));
        Govern { tools, approver, hooks, undecided: self.undecided, tally }
    }

    /// Runs one call, for a host that has no use for the service: a handler of a web framework, for example. The notes of the
    /// hooks are dropped. Dropping the future means the same as for the service.
    ///
    /// ```
    /// use hooks_core::drivers::{CallError, Govern, ToolCall};
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::testing::ScriptedTools;
    /// use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
    ///
    /// let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
    ///     "bash" => Verdict::deny(Reason::new("no-shell", "any", "no shell here")),
    ///     _ => Verdict::NO_OPINION,
    /// });
    /// let governed = Govern::new(Hooks::builder().policy(no_shell).build(), ScriptedTools::default());
    /// # futures_util::FutureExt::now_or_never(async {
    /// let call = |tool| (HookContext::new("session-1", "backend"), ToolCall::new(tool, serde_json::json!({})));
    /// let (context, bash) = call("bash");
    /// assert_eq!(governed.clone().run(context, bash).await, Err(CallError::Denied("no shell here".to_owned())));
    /// let (context, view) = call("view");
    /// assert!(governed.run(context, view).await.is_ok());
    /// # }).expect("no hook waits");
    /// ```
    ///
    /// # Errors
    /// Returns `Denied` if the tool did not run, `Withheld` if its result may not be used, and `Failed` if it failed.
    pub async fn run(
        mut self,
        context: impl Into<Arc<HookContext>>,
        call: ToolCall,
    ) -> Result<ToolResult, CallError>
    where
        Self: Service<ToolRequest, Response = Governed, Error = HookError>,
    {
        let request = ToolRequest { context: context.into(), call };
        match self.call(request).await {
            Ok(governed) => governed.outcome.into_result(),
            Err(error) => Err(CallError::Failed(error.to_string())),
        }
    }

    inner_accessors!(tools: S, "The executor");
}

impl<S, A> Service<ToolRequest> for Govern<S, A>
where
    S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    A: Approver<Future: Send> + Clone + Send + 'static,
{
    type Response = Governed;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Governed, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ToolRequest) -> Self::Future {
        // A clone, whose readiness is driven after the call was allowed: no permit is held while hooks or the
        // user decide.
        let tools = self.tools.clone();
        let context = request.context.for_call(request.call.id.as_deref());
        let moment = Moment::new(self.hooks.snapshot(), context);
        let (approver, undecided, tally) = (self.approver.clone(), self.undecided, Arc::clone(&self.tally));
        HookFuture::later(async move {
            let pending = PendingDecision::new(&moment, &request.call);
            let (mut event_decision, source) =
                decide(&moment, request.call.into_event(), approver, undecided).await;
            pending.disarm();
            announce(&moment, &event_decision, source).await;
            let call = ToolCall::of_event(event_decision.request.event());
            if !event_decision.outcome.goes_ahead() {
                let reason = refusal(event_decision.outcome.text_for_agent());
                return Ok(Governed {
                    call,
                    decision: event_decision.outcome,
                    source,
                    outcome: ToolOutcome::Denied(reason),
                });
            }
            let holds = event_decision.outcome.take_holds();
            let outcome = run(&moment, event_decision.request.event(), tools, holds, &tally).await;
            Ok(Governed { call, decision: event_decision.outcome, source, outcome })
        })
    }
}

/// Decides about a call, up to and including the reservation.
async fn decide<A>(
    moment: &Moment,
    event: PreToolUse,
    mut approver: A,
    undecided: Strength,
) -> (EventDecision<PreToolUse>, VerdictSource)
where
    A: Approver<Future: Send> + Clone + Send,
{
    let mut event_decision = moment.decide(event).await;
    let mut source = VerdictSource::Hooks;
    if event_decision.outcome.strength() == Strength::NoOpinion {
        source = VerdictSource::Settled;
        event_decision.outcome.merge(Decision::from(silence(undecided)));
    }
    if event_decision.outcome.strength() == Strength::Ask {
        source = ask(moment, &mut event_decision, &mut approver).await;
    }
    if event_decision.outcome.goes_ahead() {
        moment.reserve(&mut event_decision).await;
        if event_decision.outcome.is_denied() {
            source = VerdictSource::Reservation;
        }
    }
    (event_decision, source)
}

/// The verdict for a call that no hook has an opinion on.
fn silence(undecided: Strength) -> Verdict {
    let reason = || {
        Reason::new("undecided", "silence", "no hook allowed it").unless("allow it with a rule of its own")
    };
    match undecided {
        Strength::NoOpinion => Verdict::NO_OPINION,
        Strength::Allow => Verdict::ALLOW,
        Strength::Ask => Verdict::ask(reason()),
        Strength::Deny => Verdict::deny(reason()),
    }
}

/// The most questions to the user about one call, if the reasons to ask change while the user decides.
const MOST_QUESTIONS: usize = 3;

/// Has the user answer the question of `event_decision`, then has the event judged again, because files and state
/// may have changed meanwhile. If there are new reasons to ask, the user is asked again. The user cannot
/// override a denial.
async fn ask<A>(
    moment: &Moment,
    event_decision: &mut EventDecision<PreToolUse>,
    approver: &mut A,
) -> VerdictSource
where
    A: Approver<Future: Send> + Clone + Send,
{
    for _ in 0..MOST_QUESTIONS {
        let seen = event_decision.outcome.reasons().to_vec();
        let (answer, source) = question(moment, event_decision, approver.clone()).await;
        if let Err(verdict) = answer {
            event_decision.outcome.merge(Decision::from(verdict));
            return source;
        }
        moment.judge_again(event_decision).await;
        if event_decision.outcome.is_denied() {
            return VerdictSource::Hooks;
        }
        let asked_anew = event_decision
            .outcome
            .reasons()
            .iter()
            .any(|reason| reason.argues_for(Strength::Ask) && !seen.contains(reason));
        if !asked_anew {
            event_decision.outcome.satisfy_ask();
            return source;
        }
    }
    let reason =
        Reason::new("approval", "unsettled", "the reasons to ask kept changing while a person was asked");
    event_decision.outcome.merge(Decision::from(Verdict::deny(reason)));
    VerdictSource::Unanswered
}

/// Asks the hooks on `permission_request`, then the approver.
async fn question<A>(
    moment: &Moment,
    event_decision: &EventDecision<PreToolUse>,
    approver: A,
) -> (Result<(), Verdict>, VerdictSource)
where
    A: Approver<Future: Send> + Send,
{
    // An ask means that the hooks leave the question to the user, which follows.
    let about = PermissionRequest::about(event_decision.request.event());
    let mut permission = moment.conclude(about, Ending::Open).await;
    permission.commit();
    match permission.outcome.strength() {
        Strength::Allow => return (Ok(()), VerdictSource::PermissionHook),
        Strength::Deny => {
            let verdict =
                permission.outcome.reasons().iter().cloned().fold(Verdict::NO_OPINION, |mut all, reason| {
                    let of_strength = match reason.strength {
                        Strength::Deny => Verdict::deny(reason),
                        Strength::Ask => Verdict::ask(reason),
                        Strength::Allow | Strength::NoOpinion => Verdict::NO_OPINION,
                    };
                    all.merge(of_strength);
                    all
                });
            return (Err(verdict), VerdictSource::PermissionHook);
        }
        Strength::NoOpinion | Strength::Ask => {}
    }
    let text = refusal(event_decision.outcome.text_for_agent());
    moment.tell(UserInputRequested::new(text)).await;
    let request = ApprovalRequest {
        request: event_decision.request.clone(),
        reasons: event_decision.outcome.reasons().to_vec(),
    };
    let answer = AssertUnwindSafe(approver.oneshot(request)).catch_unwind().await;
    match answer.unwrap_or_else(|panic| Err(HookError::from_panic(&*panic))) {
        Ok(Approval::Approved) => (Ok(()), VerdictSource::Approver),
        Ok(Approval::Rejected(why)) => {
            (Err(Verdict::deny(Reason::new("approval", "rejected", why))), VerdictSource::Approver)
        }
        Ok(Approval::Pending(name)) => {
            let why =
                event_decision.outcome.text_for_agent().map(|why| format!("{why}. ")).unwrap_or_default();
            let message = format!(
                "{why}This call waits for a person's approval under the code `{name}`; make it again afterwards"
            );
            (Err(Verdict::deny(Reason::new("approval", "pending", message))), VerdictSource::Unanswered)
        }
        Err(error) => {
            let reason = Reason::failure("approval", &error);
            record(&moment.context, EventKind::PermissionRequest, &reason);
            (Err(Verdict::deny(reason)), VerdictSource::Unanswered)
        }
    }
}

/// Reports the verdict to all hooks, before the tool runs.
async fn announce(moment: &Moment, event_decision: &EventDecision<PreToolUse>, source: VerdictSource) {
    moment.observe(event_decision);
    let verdict = if event_decision.outcome.goes_ahead() { Strength::Allow } else { Strength::Deny };
    let event =
        ToolDecided::about(event_decision.request.event(), verdict, source, event_decision.outcome.reasons());
    moment.tell(event).await;
}

/// Runs the tool and has the later hooks check the result. Reservations are committed just before the tool is
/// called.
async fn run<S>(moment: &Moment, event: &PreToolUse, mut tools: S, holds: Holds, tally: &Tally) -> ToolOutcome
where
    S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>, Future: Send> + Send,
{
    let clock = &moment.context.environment.clock;
    let mut started = clock.now();
    // If the tool panics, the panic unwinds to the caller, and dropping `pending` fires the event.
    let pending = PendingResult::new(moment, event);
    let made_ready = tools.ready().await.map(|_| ()).map_err(|error| error.into().to_string());
    let answer = match made_ready {
        Ok(()) => {
            started = clock.now();
            holds.commit();
            tools.call(ToolCall::of_event(event)).await.map_err(|error| error.into().to_string())
        }
        // The tool never ran: reservations are given back.
        Err(error) => Err(error),
    };
    pending.disarm();
    let moment = &moment.later();
    let mut result = answer.unwrap_or_else(ToolResult::failed);
    tally.add_call(&result.files_modified);
    let duration = u64::try_from(clock.now().since(started).as_millis()).unwrap_or(u64::MAX);
    let after = PostToolUse::after(event, result.content.take(), result.error.clone(), duration);
    let EventDecision { request, outcome } = moment.gate(after).await;
    // From here on, all hooks and the caller see the result and the error as the hooks left them (law 7).
    result.content = request.event().tool_result.clone();
    result.error = request.event().error.clone();
    if !outcome.goes_ahead() {
        let reason = refusal(outcome.text_for_agent());
        if result.error.is_some() {
            // The failure itself is reported; the error message is part of what is withheld.
            let error = format!("the tool failed, and its result is withheld: {reason}");
            moment.fail(ErrorOccurred::new(error, ErrorType::Tool)).await;
        }
        return ToolOutcome::Withheld(reason, outcome);
    }
    match result.error.clone() {
        None => ToolOutcome::Ran(result, outcome),
        Some(error) => {
            let recovery = moment.fail(ErrorOccurred::new(error, ErrorType::Tool)).await;
            ToolOutcome::Failed(result, outcome, recovery)
        }
    }
}

/// Fires `tool_decided` as canceled if a call is dropped before it is decided.
struct PendingDecision(Option<(Moment, PreToolUse)>);

impl PendingDecision {
    fn new(moment: &Moment, call: &ToolCall) -> Self {
        Self(Some((moment.clone(), call.clone().into_event())))
    }

    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for PendingDecision {
    fn drop(&mut self) {
        let Some((moment, event)) = self.0.take() else { return };
        let context = Arc::clone(&moment.context);
        let reason = Reason::new("driver", "canceled", "the call was dropped before there was a verdict");
        Moment::abandon(&context, EventKind::ToolDecided, async move {
            let event = ToolDecided::about(&event, Strength::Deny, VerdictSource::Canceled, &[reason]);
            moment.tell(event).await;
        });
    }
}

/// Fires `post_tool_use` with an error if a call is dropped, or unwinds, while its tool runs.
struct PendingResult(Option<(Moment, PreToolUse)>);

impl PendingResult {
    fn new(moment: &Moment, event: &PreToolUse) -> Self {
        Self(Some((moment.clone(), event.clone())))
    }

    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for PendingResult {
    fn drop(&mut self) {
        let Some((moment, event)) = self.0.take() else { return };
        let context = Arc::clone(&moment.context);
        Moment::abandon(&context, EventKind::PostToolUse, async move {
            let error = Some("canceled before the tool gave a result".to_owned());
            moment.later().gate(PostToolUse::after(&event, Value::Null, error, 0)).await;
        });
    }
}
