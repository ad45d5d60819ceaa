//! Events at which notices are left or handed over.

use std::sync::Arc;

use hooks_core::event::{PostToolUse, SessionStart, SubagentStart, TurnStart};
use hooks_core::{ContextNote, ContextPatch, Decision, Event, HookFuture, HookRequest, ResultPatch, Stage};

use super::Notices;
use crate::touched::Touched;

/// An event at which notices are left or handed over.
pub trait Noticed: Event {
    /// Returns the work for this event, whose result is a note for the agent; `None` if there is nothing to
    /// do.
    fn notice(
        notices: &Notices,
        request: &HookRequest<Self>,
    ) -> Option<HookFuture<'static, Option<ContextNote>>>;

    /// Adds the note to the outcome.
    fn add(outcome: &mut Self::Outcome, note: ContextNote);
}

impl Noticed for PostToolUse {
    fn notice(
        notices: &Notices,
        request: &HookRequest<Self>,
    ) -> Option<HookFuture<'static, Option<ContextNote>>> {
        let event = request.event();
        let is_ours = request.stage() != Stage::Judge && event.error.is_none();
        (is_ours && Touched::may_be(notices.tools(), &event.tool_name)).then(|| {
            let (context, tool) = (Arc::clone(request.context()), event.tool_name.clone());
            notices.leave(context, tool, event.tool_args.clone())
        })
    }

    fn add(_outcome: &mut ResultPatch, _note: ContextNote) {}
}

impl Noticed for SessionStart {
    fn notice(
        notices: &Notices,
        request: &HookRequest<Self>,
    ) -> Option<HookFuture<'static, Option<ContextNote>>> {
        Some(waiting(notices, request))
    }

    fn add(outcome: &mut ContextPatch, note: ContextNote) {
        outcome.additional_context.push(note);
    }
}

impl Noticed for TurnStart {
    fn notice(
        notices: &Notices,
        request: &HookRequest<Self>,
    ) -> Option<HookFuture<'static, Option<ContextNote>>> {
        Some(waiting(notices, request))
    }

    fn add(outcome: &mut ContextPatch, note: ContextNote) {
        outcome.additional_context.push(note);
    }
}

impl Noticed for SubagentStart {
    fn notice(
        notices: &Notices,
        request: &HookRequest<Self>,
    ) -> Option<HookFuture<'static, Option<ContextNote>>> {
        let (context, event) = (request.context(), request.event());
        // The note was added when the event was prepared; judging it again adds nothing.
        (request.stage() != Stage::Judge).then(|| {
            let child = event.child_id.clone();
            notices.hand_over(Arc::clone(context), event.agent_name.clone(), Self::KIND, child)
        })
    }

    fn add(outcome: &mut Decision<Self>, note: ContextNote) {
        outcome.notes_mut().additional_context.push(note);
    }
}

/// Takes the notices for the agent of the session.
fn waiting<E: Event>(
    notices: &Notices,
    request: &HookRequest<E>,
) -> HookFuture<'static, Option<ContextNote>> {
    let context = request.context();
    notices.hand_over(Arc::clone(context), context.agent_name.clone(), E::KIND, None)
}
