//! Calls the hooks for an event in its own type.

use std::any::Any;
use std::cell::RefCell;

use hooks::audit::RecordedAnswer;
use hooks::audit::describe::Described;
use hooks::budgets::Approvals;
use hooks::drivers::{Approval, ApprovalRequest};
use hooks::event::{PreToolUse, VerdictSource, WireEvent};
use hooks::{
    DecidingEvent, Ending, Evaluation, Event, EventKind, Holds, HookContext, HookRequest, Hooks,
    InformingEvent, Judged, Reason, ReasonKind, Strength, conclude_decided, decide, tell,
};
use hooks_protocols::{Answer, Decoded};

use super::calls::{CallTurn, ReportedCall};
use super::governing::Governing;
use super::{Failure, Notes, transcripts};
use crate::event::{by_type, decide_and_record};

/// The answer of the hooks.
#[derive(Default)]
pub(super) struct HeldAnswer {
    pub(super) answer: Answer,
    /// Reservations for the event, to commit if the client goes on.
    pub(super) holds: Holds,
    /// Source of the verdict, if it is not the hooks.
    pub(super) source: Option<VerdictSource>,
    /// The code under which a call waits for a person's approval.
    pub(super) waits_under: Option<String>,
    /// The turn to count a call, until its reservations are committed.
    pub(super) turn: Option<CallTurn>,
}

/// Calls the hooks for an event. The event is lent to them without a copy, as a payload can be long; only a
/// change of it needs one.
pub(super) fn ask(
    governing: &Governing,
    decoded: &mut Decoded,
    notes: &Notes,
) -> Result<HeldAnswer, Failure> {
    let (hooks, context) = (governing.hooks(), governing.context(decoded, notes));
    let counts = !decoded.is_told_elsewhere();
    if !governing.is_repeated() {
        count(governing, &hooks, &context, decoded, notes)?;
    }
    if let Some(audit) = governing.recording() {
        audit.defer();
    }
    let approvals = governing.approvals(decoded).filter(|_| counts);
    let call = governing.reported_call(decoded, &context, approvals.is_some());
    let Some(event) = decoded.event.take() else { return Ok(HeldAnswer::default()) };
    let (kind, lent) = (event.kind(), Lent::default());
    let held = governing.wait(async {
        by_type!(event,
            decided(event) => Ok(decide_and_hold(&hooks, lent.request(context, event), counts, call, approvals, notes).await),
            informed(event) => Ok(informed(&hooks, lent.request(context, event)).await),
            other => Err(format!("this program does not know what to do with `{kind}`"))
        )
    });
    decoded.event = lent.back();
    held?
}

/// Records the event with the encoded `answer`, and waits until that is done. Returns the reason to deny the
/// event if it cannot be recorded and the configuration closes on that.
pub(super) fn record(
    governing: &Governing,
    decoded: &mut Decoded,
    notes: &Notes,
    answer: &RecordedAnswer,
) -> Result<Option<Reason>, Failure> {
    let Some(audit) = governing.recording() else { return Ok(None) };
    let context = governing.context(decoded, notes);
    let Some(event) = decoded.event.take() else { return Ok(None) };
    let (kind, lent) = (event.kind(), Lent::default());
    let recorded = governing.wait(async {
        by_type!(event,
            decided(event) => Ok(audit.answered(&lent.request(context, event), answer).await),
            // The event can no longer be denied, so a failure is only recorded with the other failures.
            informed(event) => {
                drop(audit.answered(&lent.request(context, event), answer).await);
                Ok(None)
            },
            other => Err(format!("this program does not know what to do with `{kind}`"))
        )
    });
    decoded.event = lent.back();
    recorded?
}

/// Sends the answers of the model that are new in the client's transcript to the hooks. If they cannot be
/// counted, and the rules count them, what follows is denied.
fn count(
    governing: &Governing,
    hooks: &Hooks,
    context: &HookContext,
    decoded: &Decoded,
    notes: &Notes,
) -> Result<(), Failure> {
    if !transcripts::has(decoded.client) || !hooks.hooked().contains(&EventKind::AfterModelCall) {
        return Ok(());
    }
    if decoded.event.as_ref().map(WireEvent::kind) == Some(EventKind::SessionEnd) {
        // The session does not wait any more, and no later event would count its last answer.
        governing.wait(async { tokio::time::sleep(transcripts::WRITTEN_AFTER).await })?;
    }
    let counted = transcripts::unread(decoded, governing.counts_answers()).and_then(|unread| {
        let Some(unread) = unread else { return Ok(()) };
        let failed = governing.wait(async {
            for answer in unread.answers() {
                let (id, event) = answer.event();
                let mut context = context.clone();
                context.call_id = Some(id);
                context.agent_name = answer.agent.clone();
                context.agent_id = answer.agent_id.clone();
                let now = context.environment.clock.now();
                context.timestamp = answer.at().unwrap_or(now).min(now);
                let request = HookRequest::new(context, event);
                let decision = decide_and_record(hooks, request, Ending::Closed, governing.recording()).await;
                // A hook after a call cannot deny it, so its failure is only in the reasons.
                let failed = decision
                    .outcome
                    .reasons()
                    .iter()
                    .find(|reason| reason.kind == ReasonKind::Failure && reason.would.is_none());
                if let Some(reason) = failed {
                    return Some(format!("an answer of the model cannot be counted: {}", reason.message));
                }
            }
            None
        })?;
        if let Some(failed) = failed {
            return Err(failed);
        }
        let missing = unread.missing();
        unread.keep()?;
        missing.map_or(Ok(()), Err)
    });
    match counted {
        Err(reason) if !governing.counts_answers() => {
            notes.failed(&reason);
            Ok(())
        }
        counted => counted,
    }
}

/// Returns the event that was lent to the hooks.
#[derive(Default)]
struct Lent(RefCell<Option<Box<dyn FnOnce() -> WireEvent>>>);

impl Lent {
    fn request<E: Event + Into<WireEvent>>(&self, context: HookContext, event: E) -> HookRequest<E> {
        let request = HookRequest::new(context, event);
        let sent = request.clone();
        *self.0.borrow_mut() = Some(Box::new(move || sent.into_event().into()));
        request
    }

    fn back(self) -> Option<WireEvent> {
        self.0.into_inner().map(|back| back())
    }
}

/// Decides about an event, with reservations if it `counts`. The process ends afterwards, so a later failure
/// could not be reported.
///
/// If another line of the client's settings counted this call, it is decided, and neither counted nor recorded
/// again.
async fn decide_and_hold<E>(
    hooks: &Hooks,
    request: HookRequest<E>,
    counts: bool,
    call: Option<ReportedCall>,
    approvals: Option<Approvals>,
    notes: &Notes,
) -> HeldAnswer
where
    E: DecidingEvent + Described,
    for<'a> Answer: From<&'a E::Outcome>,
{
    let ending = if counts { Ending::Open } else { Ending::Uncounted };
    let mut decision = decide(hooks, request.evaluated(Evaluation::Everyone)).await;
    let turn = match call.and_then(|call| call.decided(decision.outcome.strength())) {
        Some(call) => call.turn().await,
        None => None,
    };
    if !turn.as_ref().is_some_and(CallTurn::is_counted) {
        decision = conclude_decided(hooks, decision, ending).await;
    }
    let answer = restrained(Answer::from(&decision.outcome));
    let mut held = HeldAnswer { answer, turn, ..HeldAnswer::default() };
    if let Some(approvals) = approvals.filter(|_| decision.outcome.strength() == Strength::Ask)
        && let Some(call) = (&decision.request as &dyn Any).downcast_ref::<HookRequest<PreToolUse>>()
    {
        held.settle(&approvals, call, decision.outcome.reasons(), notes).await;
    }
    held.holds = decision.outcome.take_holds();
    held
}

impl HeldAnswer {
    /// Answers the question of a call with a person's approval, if there is one. If the approvals cannot be
    /// read, the question stays.
    async fn settle(
        &mut self,
        approvals: &Approvals,
        call: &HookRequest<PreToolUse>,
        reasons: &[Reason],
        notes: &Notes,
    ) {
        // An approval is used up by the first line of the client's settings.
        if self.turn.as_ref().is_some_and(CallTurn::is_approved) {
            return self.approved();
        }
        let asked = reasons.iter().filter(|reason| reason.strength == Strength::Ask).cloned().collect();
        match approvals.pass_or_wait(&ApprovalRequest::new(call.clone(), asked)).await {
            Ok(Approval::Approved) => self.approved(),
            Ok(Approval::Pending(code)) => self.waits_under = Some(code),
            Ok(Approval::Rejected(_)) => {}
            Err(error) => notes.failed(&format!("no approval can be given for this call: {error}")),
        }
    }

    /// Lets the call pass: the hooks have no opinion, so that the client's own rules hold.
    fn approved(&mut self) {
        (self.answer.strength, self.answer.reason) = (Strength::NoOpinion, None);
        self.source = Some(VerdictSource::Approver);
        if let Some(turn) = &mut self.turn {
            turn.approve();
        }
    }
}

/// An answer that approves only what a rule or a handler approved.
///
/// An allow suppresses the client's own question to the user. A rule or a handler that allows gives a reason.
/// A guard that lets a call through gives none: it only has no objection.
fn restrained(mut answer: Answer) -> Answer {
    if answer.strength == Strength::Allow && answer.reason.is_none() {
        answer.strength = Strength::NoOpinion;
    }
    answer
}

async fn informed<E>(hooks: &Hooks, request: HookRequest<E>) -> HeldAnswer
where
    E: InformingEvent + Described,
    for<'a> Answer: From<&'a E::Outcome>,
{
    HeldAnswer { answer: Answer::from(&tell(hooks, request).await), ..HeldAnswer::default() }
}
