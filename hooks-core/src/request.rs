//! A hook request: one event, where it happens, and the facts that follow from it.

use std::sync::Arc;

use crate::context::HookContext;
use crate::event::Event;
use crate::fact::{Fact, Facts};

/// Which part of a decision a stack is asked for.
///
/// A stack that stands alone does all of it at once. A driver that has several (a [`Composite`], a tool
/// governor that waits for a person) has each prepare the event once, and asks again, to judge what became
/// of it, those that answered before it was rewritten. Layers that transform or reserve keep to it, so that
/// nothing is rewritten or counted twice (law 2).
///
/// [`Composite`]: crate::Composite
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Everything: rewrite, judge, reserve.
    #[default]
    Whole,
    /// Rewrite and judge; what is to be reserved is owed, for the driver to take at the end.
    Prepare,
    /// Judge the final event; rewrites are ignored, nothing is reserved.
    Judge,
}

/// Whether judging stops at the first denial. A setting of the asker, never a property of merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Evaluation {
    /// Stop where nothing can change the strength any more.
    #[default]
    UntilDenied,
    /// Ask everyone, so that every reason is known (`explain`).
    Everyone,
}

/// One event on its way through a stack. Three words; cloning it bumps one counter.
#[derive(Debug)]
pub struct HookRequest<E: Event> {
    shared: Arc<Shared<E>>,
    revision: u32,
    generation: u32,
    stage: Stage,
    evaluation: Evaluation,
}

#[derive(Debug)]
struct Shared<E: Event> {
    context: Arc<HookContext>,
    event: E,
    facts: Facts,
}

impl<E: Event> HookRequest<E> {
    /// A request about `event`.
    pub fn new(context: impl Into<Arc<HookContext>>, event: E) -> Self {
        Self {
            shared: Arc::new(Shared { context: context.into(), event, facts: Facts::default() }),
            revision: 0,
            generation: 0,
            stage: Stage::Whole,
            evaluation: Evaluation::UntilDenied,
        }
    }

    /// Where the event happens.
    pub fn context(&self) -> &Arc<HookContext> {
        &self.shared.context
    }

    /// The event, as the last rewrite left it.
    pub fn event(&self) -> &E {
        &self.shared.event
    }

    /// The event; copied only if another request shares it.
    pub fn into_event(self) -> E {
        Arc::try_unwrap(self.shared).map_or_else(|shared| shared.event.clone(), |shared| shared.event)
    }

    /// How often it was rewritten. A verdict given at an earlier revision is stale.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// How often its facts were dropped, by a rewrite or after a wait. What was derived from an earlier
    /// generation may no longer hold.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Which part of a decision is asked for.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Whether judging stops at the first denial.
    pub fn evaluation(&self) -> Evaluation {
        self.evaluation
    }

    /// Asks for another part of the decision.
    #[must_use]
    pub fn at(mut self, stage: Stage) -> Self {
        self.stage = stage;
        self
    }

    /// Asks everyone, also behind a denial.
    #[must_use]
    pub fn evaluated(mut self, evaluation: Evaluation) -> Self {
        self.evaluation = evaluation;
        self
    }

    /// A fact of the event, computed at most once per request.
    ///
    /// A fact that asks for itself while it is computed would wait for ever; none may.
    pub fn fact<F: Fact<E>>(&self) -> &F {
        self.shared.facts.get(self)
    }

    /// Changes the event on its way in. Ignored, and `false`, where what is final is judged.
    pub fn rewrite(&mut self, rewrite: E::Rewrite) -> bool {
        if self.stage == Stage::Judge {
            return false;
        }
        let mut event = self.shared.event.clone();
        event.apply(rewrite);
        self.replace(event);
        self.revision = self.revision.saturating_add(1);
        true
    }

    /// The same event with fresh facts: what must be judged after a wait, in which a link may have moved.
    #[must_use]
    pub fn refreshed(mut self) -> Self {
        let event = self.shared.event.clone();
        self.replace(event);
        self
    }

    fn replace(&mut self, event: E) {
        let context = Arc::clone(&self.shared.context);
        self.shared = Arc::new(Shared { context, event, facts: Facts::default() });
        self.generation = self.generation.saturating_add(1);
    }
}

impl<E: Event> Clone for HookRequest<E> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), ..*self }
    }
}

impl<E: Event + PartialEq> PartialEq for HookRequest<E> {
    /// Whether both are about the same event at the same revision.
    fn eq(&self, other: &Self) -> bool {
        self.revision == other.revision && self.shared.event == other.shared.event
    }
}
