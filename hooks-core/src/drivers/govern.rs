//! Tools: what may run, as what, and what comes back.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower::ServiceExt;
use tower_service::Service;

use super::moment::Moment;
use super::{Approval, ApprovalRequest, Approver, NoApprover, Tally, refusal};
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
use crate::set::{Decided, Live};
use crate::verdict::{Reason, Strength, Verdict};

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    #[serde(default)]
    pub args: Value,
    /// The client's id of the call. Reservations are idempotent by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What kind of tool it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Whether it changes nothing.
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

/// What a tool gave back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolResult {
    /// Its result.
    pub content: Value,
    /// What went wrong, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The files it wrote, for the session's tally.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_modified: Vec<String>,
}

impl ToolResult {
    /// It went well.
    pub fn ok(content: impl Into<Value>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// It failed.
    pub fn failed(error: impl Into<String>) -> Self {
        Self { error: Some(error.into()), ..Self::default() }
    }

    /// Says what went wrong, beside a result.
    #[must_use]
    pub fn with_error(mut self, error: Option<String>) -> Self {
        self.error = error;
        self
    }

    /// Says which files were written.
    #[must_use]
    pub fn wrote(mut self, files: impl IntoIterator<Item = String>) -> Self {
        self.files_modified.extend(files);
        self
    }
}

/// A call, and where it happens.
#[derive(Clone, Debug)]
pub struct ToolRequest {
    /// Where.
    pub context: Arc<HookContext>,
    /// What.
    pub call: ToolCall,
}

/// What came of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Governed {
    /// The call as it was judged and, unless it was denied, as it ran.
    pub call: ToolCall,
    /// What the hooks decided before it, with all reasons, context and messages.
    pub decision: Decision<PreToolUse>,
    /// Who decided.
    pub source: VerdictSource,
    /// What came of it.
    pub outcome: ToolOutcome,
}

/// What came of a call.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToolOutcome {
    /// It did not run, for this reason.
    Denied(String),
    /// It ran; the result as the hooks after it left it, and what they add.
    Ran(ToolResult, ResultPatch),
    /// It ran, and its result is withheld for this reason.
    Withheld(String, ResultPatch),
    /// It failed; what the hooks after it add, and what they propose.
    Failed(ToolResult, ResultPatch, Recovery),
}

/// Governs a tool executor `S`: rewrites, judges, asks, reserves, calls, and patches the result, with one
/// snapshot of the hooks from before to after.
///
/// Fires `pre_tool_use`, where a person would be asked `permission_request` and `user_input_requested`, then
/// `tool_decided`, and for what ran `post_tool_use` and on failure `error_occurred` and `notification`; dropped
/// while the tool runs, it still fires `post_tool_use`, with an error. A denial is an answer. Always ready: a
/// clone of the executor is made ready once it is known that the call runs, so that no permit is held over a
/// wait; an executor that errs is a tool that failed. One boxed future per call.
#[derive(Clone, Debug)]
pub struct Govern<S, A = NoApprover> {
    tools: S,
    approver: A,
    hooks: Live,
    undecided: Strength,
    tally: Arc<Tally>,
}

impl<S> Govern<S> {
    /// Governs `tools` by `hooks`. What hooks ask about is denied; what no hook has an opinion on runs.
    pub fn new(hooks: impl Into<Live>, tools: S) -> Self {
        Self {
            tools,
            approver: NoApprover,
            hooks: hooks.into(),
            undecided: Strength::Allow,
            tally: Arc::default(),
        }
    }
}

impl<S, A> Govern<S, A> {
    /// Puts questions to `approver`.
    pub fn with_approver<B>(self, approver: B) -> Govern<S, B> {
        let Self { tools, approver: _, hooks, undecided, tally } = self;
        Govern { tools, approver, hooks, undecided, tally }
    }

    /// What becomes of a call that no hook has an opinion on: allow (the default), ask or deny.
    #[must_use]
    pub fn undecided(mut self, strength: Strength) -> Self {
        self.undecided = strength;
        self
    }

    /// Counts into `tally`.
    #[must_use]
    pub fn counting(mut self, tally: Arc<Tally>) -> Self {
        self.tally = tally;
        self
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
        // A clone, made ready once it is known that the call runs: no permit is held while hooks, or a person,
        // make up their minds.
        let tools = self.tools.clone();
        let context = request.context.for_call(request.call.id.as_deref());
        let moment = Moment::new(self.hooks.snapshot(), context);
        let (approver, undecided, tally) = (self.approver.clone(), self.undecided, Arc::clone(&self.tally));
        HookFuture::later(async move {
            let pending = PendingDecision::new(&moment, &request.call);
            let (mut decided, source) = decide(&moment, request.call.into_event(), approver, undecided).await;
            pending.disarm();
            announce(&moment, &decided, source).await;
            let call = ToolCall::of_event(decided.request.event());
            if !decided.outcome.goes_ahead() {
                let reason = refusal(decided.outcome.shown_reason());
                return Ok(Governed {
                    call,
                    decision: decided.outcome,
                    source,
                    outcome: ToolOutcome::Denied(reason),
                });
            }
            let holds = decided.outcome.take_holds();
            let outcome = run(&moment, decided.request.event(), tools, holds, &tally).await;
            Ok(Governed { call, decision: decided.outcome, source, outcome })
        })
    }
}

/// Decides about a call, up to and with the reservation.
async fn decide<A>(
    moment: &Moment,
    event: PreToolUse,
    mut approver: A,
    undecided: Strength,
) -> (Decided<PreToolUse>, VerdictSource)
where
    A: Approver<Future: Send> + Clone + Send,
{
    let mut decided = moment.decide(event).await;
    let mut source = VerdictSource::Hooks;
    if decided.outcome.strength() == Strength::NoOpinion {
        source = VerdictSource::Settled;
        decided.outcome.merge(Decision::from(silence(undecided)));
    }
    if decided.outcome.strength() == Strength::Ask {
        source = ask(moment, &mut decided, &mut approver).await;
    }
    if decided.outcome.goes_ahead() {
        moment.reserve(&mut decided).await;
        if decided.outcome.is_denied() {
            source = VerdictSource::Reservation;
        }
    }
    (decided, source)
}

/// What silence means.
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

/// How often a person is asked about one call, where the world changes while they think.
const MOST_QUESTIONS: usize = 3;

/// Has the question of `decided` answered, then judges again: the world may have changed meanwhile. What the
/// person did not see is asked again; a denial is not theirs to undo.
async fn ask<A>(moment: &Moment, decided: &mut Decided<PreToolUse>, approver: &mut A) -> VerdictSource
where
    A: Approver<Future: Send> + Clone + Send,
{
    for _ in 0..MOST_QUESTIONS {
        let seen = decided.outcome.reasons().to_vec();
        let (answer, source) = question(moment, decided, approver.clone()).await;
        if let Err(verdict) = answer {
            decided.outcome.merge(Decision::from(verdict));
            return source;
        }
        moment.judge_again(decided).await;
        if decided.outcome.is_denied() {
            return VerdictSource::Hooks;
        }
        let asked_anew = decided
            .outcome
            .reasons()
            .iter()
            .any(|reason| reason.strength == Strength::Ask && !seen.contains(reason));
        if !asked_anew {
            decided.outcome.satisfy_ask();
            return source;
        }
    }
    let reason =
        Reason::new("approval", "unsettled", "the reasons to ask kept changing while a person was asked");
    decided.outcome.merge(Decision::from(Verdict::deny(reason)));
    VerdictSource::Unanswered
}

/// Asks the hooks on `permission_request`, then the approver.
async fn question<A>(
    moment: &Moment,
    decided: &Decided<PreToolUse>,
    approver: A,
) -> (Result<(), Verdict>, VerdictSource)
where
    A: Approver<Future: Send> + Send,
{
    let permission = moment.gate_or_ask(PermissionRequest::about(decided.request.event())).await;
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
    let text = refusal(decided.outcome.shown_reason());
    moment.tell(UserInputRequested::new(text)).await;
    let request =
        ApprovalRequest { request: decided.request.clone(), reasons: decided.outcome.reasons().to_vec() };
    let answer = AssertUnwindSafe(approver.oneshot(request)).catch_unwind().await;
    match answer.unwrap_or_else(|panic| Err(HookError::from_panic(&*panic))) {
        Ok(Approval::Approved) => (Ok(()), VerdictSource::Approver),
        Ok(Approval::Rejected(why)) => {
            (Err(Verdict::deny(Reason::new("approval", "rejected", why))), VerdictSource::Approver)
        }
        Err(error) => {
            let reason = Reason::failure("approval", &error);
            record(&moment.context, EventKind::PermissionRequest, &reason);
            (Err(Verdict::deny(reason)), VerdictSource::Unanswered)
        }
    }
}

/// Tells everyone of the verdict, before the tool runs.
async fn announce(moment: &Moment, decided: &Decided<PreToolUse>, source: VerdictSource) {
    moment.observe(decided);
    let verdict = if decided.outcome.goes_ahead() { Strength::Allow } else { Strength::Deny };
    let event = ToolDecided::about(decided.request.event(), verdict, source, decided.outcome.reasons());
    moment.tell(event).await;
}

/// Runs the tool and has the hooks after it see what came back. What is held for it stays taken once it runs.
async fn run<S>(moment: &Moment, event: &PreToolUse, mut tools: S, holds: Holds, tally: &Tally) -> ToolOutcome
where
    S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>, Future: Send> + Send,
{
    let clock = &moment.context.environment.clock;
    let mut started = clock.now();
    // A panic of the tool unwinds to the caller, and the pending result fires on the way.
    let pending = PendingResult::new(moment, event);
    let made_ready = tools.ready().await.map(|_| ()).map_err(|error| error.into().to_string());
    let answer = match made_ready {
        Ok(()) => {
            started = clock.now();
            holds.commit();
            tools.call(ToolCall::of_event(event)).await.map_err(|error| error.into().to_string())
        }
        // It never ran: what is held for it is given back.
        Err(error) => Err(error),
    };
    pending.disarm();
    let moment = &moment.later();
    let mut result = answer.unwrap_or_else(ToolResult::failed);
    tally.add_call(&result.files_modified);
    let duration = u64::try_from(clock.now().since(started).as_millis()).unwrap_or(u64::MAX);
    let after = PostToolUse::after(event, result.content.take(), result.error.clone(), duration);
    let Decided { request, outcome } = moment.gate(after).await;
    // From here on everybody is told what the hooks left, also of the error (law 7).
    result.content = request.event().tool_result.clone();
    result.error = request.event().error.clone();
    if !outcome.goes_ahead() {
        let reason = refusal(outcome.shown_reason());
        if result.error.is_some() {
            // That it failed is told; how is part of what is withheld.
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

/// Fires `tool_decided` as canceled where a call is dropped before there is a verdict.
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

/// Fires `post_tool_use` with an error where a call is dropped, or unwinds, while its tool runs.
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
