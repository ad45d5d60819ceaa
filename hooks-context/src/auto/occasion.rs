//! The events at which context is given.

use std::sync::Arc;

use hooks_core::beside::Beside;
use hooks_core::event::{SessionStart, SubagentStart, TurnStart};
use hooks_core::{ContextPatch, Decision, Event, HookFuture, HookRequest, Stage};

use super::{AutoContext, Gathered};
use crate::source::{Ask, Moment};

/// An event at which context is given.
pub trait Occasion: Event {
    /// Builds the question for the sources, or returns `None` if this event gets no context.
    fn ask(request: &HookRequest<Self>) -> Option<Ask>;

    /// Adds the gathered context to the outcome.
    fn add(outcome: &mut Self::Outcome, gathered: Gathered);
}

impl<E: Occasion> Beside<E> for AutoContext {
    type Done = Gathered;

    fn start(&self, request: &HookRequest<E>) -> Option<HookFuture<'static, Gathered>> {
        let ask = E::ask(request).filter(|ask| self.settings().budget(ask.moment) > 0);
        ask.map(|ask| self.gather(ask))
    }

    fn add(request: &HookRequest<E>, outcome: &mut E::Outcome, gathered: Gathered) {
        let context = request.context();
        for reason in &gathered.failures {
            context.environment.failures.record(context, E::KIND, reason);
        }
        E::add(outcome, gathered);
    }
}

impl Occasion for SessionStart {
    fn ask(request: &HookRequest<Self>) -> Option<Ask> {
        let (context, event) = (request.context(), request.event());
        let ask = Ask::new(Arc::clone(context), &*context.agent_name, Moment::Session(event.source));
        let task = event.initial_prompt.as_deref().unwrap_or_default();
        Some(ask.about(task).for_model(event.model.clone()))
    }

    fn add(outcome: &mut ContextPatch, gathered: Gathered) {
        // Before the notes of other hooks: this text changes least.
        outcome.additional_context.splice(0..0, gathered.notes);
        outcome.failures.extend(gathered.failures);
    }
}

impl Occasion for TurnStart {
    fn ask(request: &HookRequest<Self>) -> Option<Ask> {
        let context = request.context();
        // The context of the session's start is already there at the first model call.
        (request.event().iteration > 1)
            .then(|| Ask::new(Arc::clone(context), &*context.agent_name, Moment::Turn))
    }

    fn add(outcome: &mut ContextPatch, gathered: Gathered) {
        SessionStart::add(outcome, gathered);
    }
}

impl Occasion for SubagentStart {
    fn ask(request: &HookRequest<Self>) -> Option<Ask> {
        let event = request.event();
        // The context was added when the event was prepared; judging the event again adds nothing.
        (request.stage() != Stage::Judge).then(|| {
            let ask = Ask::new(Arc::clone(request.context()), &*event.agent_name, Moment::Child);
            ask.about(&*event.task).for_model(event.model.clone()).for_child(event.child_id.clone())
        })
    }

    fn add(outcome: &mut Decision<Self>, gathered: Gathered) {
        if gathered.notes.is_empty() && gathered.failures.is_empty() {
            return;
        }
        let notes = outcome.notes_mut();
        notes.additional_context.splice(0..0, gathered.notes);
        notes.system_messages.extend(gathered.failures.into_iter().map(|reason| reason.message));
    }
}
