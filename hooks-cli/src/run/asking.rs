//! Calls the hooks for an event in its own type.

use std::cell::RefCell;

use hooks::audit::Audit;
use hooks::audit::describe::Described;
use hooks::event::WireEvent;
use hooks::{
    DecidingEvent, Ending, Event, EventKind, Holds, HookContext, HookRequest, Hooks, InformingEvent, Judged,
    ReasonKind, Strength,
};
use hooks_protocols::{Answer, Decoded};

use super::governing::Governing;
use super::{Failure, Notes, transcripts};
use crate::event::{by_type, decide_and_record, tell_and_record};

/// The answer of the hooks.
#[derive(Default)]
pub(super) struct HeldAnswer {
    pub(super) answer: Answer,
    /// Reservations for the event, to commit if the client goes on.
    pub(super) holds: Holds,
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
    count(governing, &hooks, &context, decoded, notes)?;
    let Some(event) = decoded.event.take() else { return Ok(HeldAnswer::default()) };
    let (kind, lent) = (event.kind(), Lent::default());
    let held = governing.wait(async {
        by_type!(event,
            decided(event) => Ok(decide_and_hold(&hooks, lent.request(context, event), counts, governing.recording()).await),
            informed(event) => Ok(informed(&hooks, lent.request(context, event), governing.recording()).await),
            other => Err(format!("this program does not know what to do with `{kind}`"))
        )
    });
    decoded.event = lent.back();
    held?
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
                let failed =
                    decision.outcome.reasons().iter().find(|reason| reason.kind == ReasonKind::Failure);
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
async fn decide_and_hold<E>(
    hooks: &Hooks,
    request: HookRequest<E>,
    counts: bool,
    recording: Option<&Audit>,
) -> HeldAnswer
where
    E: DecidingEvent + Described,
    for<'a> Answer: From<&'a E::Outcome>,
{
    let ending = if counts { Ending::Open } else { Ending::Uncounted };
    let mut decision = decide_and_record(hooks, request, ending, recording).await;
    let answer = restrained(Answer::from(&decision.outcome));
    HeldAnswer { answer, holds: decision.outcome.take_holds() }
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

async fn informed<E>(hooks: &Hooks, request: HookRequest<E>, recording: Option<&Audit>) -> HeldAnswer
where
    E: InformingEvent + Described,
    for<'a> Answer: From<&'a E::Outcome>,
{
    HeldAnswer {
        answer: Answer::from(&tell_and_record(hooks, request, recording).await),
        holds: Holds::default(),
    }
}
