//! Events at which notices are left or handed over.

use std::sync::Arc;

use hooks_core::beside::Beside;
use hooks_core::event::{PostToolUse, SessionStart, SubagentStart, TurnStart};
use hooks_core::{ContextNote, ContextPatch, Decision, Event, HookFuture, HookRequest, ResultPatch, Stage};

use super::Notices;
use crate::touched::Touched;

impl Beside<PostToolUse> for Notices {
    type Done = Option<ContextNote>;

    fn start(&self, request: &HookRequest<PostToolUse>) -> Option<HookFuture<'static, Option<ContextNote>>> {
        let event = request.event();
        let is_ours = request.stage() != Stage::Judge && event.error.is_none();
        (is_ours && Touched::may_be(self.tools(), &event.tool_name)).then(|| {
            let (context, tool) = (Arc::clone(request.context()), event.tool_name.clone());
            self.leave(context, tool, event.tool_args.clone())
        })
    }

    fn add(_request: &HookRequest<PostToolUse>, _outcome: &mut ResultPatch, _note: Option<ContextNote>) {}
}

impl Beside<SessionStart> for Notices {
    type Done = Option<ContextNote>;

    fn start(&self, request: &HookRequest<SessionStart>) -> Option<HookFuture<'static, Option<ContextNote>>> {
        Some(waiting(self, request))
    }

    fn add(_request: &HookRequest<SessionStart>, outcome: &mut ContextPatch, note: Option<ContextNote>) {
        outcome.additional_context.extend(note);
    }
}

impl Beside<TurnStart> for Notices {
    type Done = Option<ContextNote>;

    fn start(&self, request: &HookRequest<TurnStart>) -> Option<HookFuture<'static, Option<ContextNote>>> {
        Some(waiting(self, request))
    }

    fn add(_request: &HookRequest<TurnStart>, outcome: &mut ContextPatch, note: Option<ContextNote>) {
        outcome.additional_context.extend(note);
    }
}

impl Beside<SubagentStart> for Notices {
    type Done = Option<ContextNote>;

    fn start(
        &self,
        request: &HookRequest<SubagentStart>,
    ) -> Option<HookFuture<'static, Option<ContextNote>>> {
        let (context, event) = (request.context(), request.event());
        // The note was added when the event was prepared; judging it again adds nothing.
        (request.stage() != Stage::Judge).then(|| {
            let child = event.child_id.clone();
            self.hand_over(Arc::clone(context), event.agent_name.clone(), SubagentStart::KIND, child)
        })
    }

    fn add(
        _request: &HookRequest<SubagentStart>,
        outcome: &mut Decision<SubagentStart>,
        note: Option<ContextNote>,
    ) {
        outcome.notes_mut().additional_context.extend(note);
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
