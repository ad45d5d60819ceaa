//! What is asked about models before one of them is chosen, and the earliest of the answers.

use std::time::Duration;

use hooks_core::time::Tick;

use crate::breaker::BreakerState;
use crate::call::Needs;
use crate::catalog::Model;
use crate::health::{Health, Readiness};

/// What a plan asks about models: [`Health`], or a table in a test.
pub trait View {
    /// When `model` could be asked.
    fn readiness(&self, model: &Model, needs: &Needs, now: Tick) -> Readiness;

    /// Takes one further attempt from the retry budget; false where it is used up.
    fn another_attempt(&self, model: &Model, now: Tick) -> bool;

    /// When `model` could be asked although its breaker is open, because it answers some calls or this is the last chance of
    /// the call.
    fn last_resort(&self, _model: &Model, _needs: &Needs, _now: Tick, _last_chance: bool) -> Option<Tick> {
        None
    }

    /// Whether somebody is finding out about `model`: then it may be ready at any moment.
    fn is_probed(&self, _model: &Model) -> bool {
        false
    }
}

impl View for Health {
    /// A model whose breaker may close at any moment is looked at again soon: not only when its probe counts as lost, or when
    /// its breaker would have to let one through. While a gate is shut that is of no use.
    fn readiness(&self, model: &Model, needs: &Needs, now: Tick) -> Readiness {
        match Self::readiness(self, model, needs, now) {
            Readiness::At(tick) if self.may_close(model) => {
                let soon = tick.min(now.after(SOON));
                Readiness::At(self.gates_open_at(model, now).map_or(soon, |opens| opens.max(soon)))
            }
            readiness => readiness,
        }
    }

    fn another_attempt(&self, model: &Model, now: Tick) -> bool {
        Self::another_attempt(self, model, now)
    }

    fn last_resort(&self, model: &Model, needs: &Needs, now: Tick, last_chance: bool) -> Option<Tick> {
        Self::last_resort(self, model, needs, now, last_chance)
    }

    fn is_probed(&self, model: &Model) -> bool {
        self.breaker(model) == BreakerState::Probing
    }
}

/// How soon it is looked again at a model that may be ready at any moment. Not sooner: all who wait would come within the second
/// after one answer, before the first of them can tell that it was a lucky one.
const SOON: Duration = Duration::from_secs(3);

/// From when on `model` may be ready: nobody sleeps through the end of a probe that is on its way.
pub(super) fn soonest(view: &impl View, model: &Model, needs: &Needs, now: Tick) -> Option<Tick> {
    match view.readiness(model, needs, now) {
        Readiness::At(_) if view.is_probed(model) => Some(now),
        readiness => readiness.tick(now),
    }
}

/// The earliest of `ticks`, and no earlier than `now`.
pub(super) fn earliest(ticks: impl Iterator<Item = Tick>, now: Tick) -> Option<Tick> {
    let mut earliest: Option<Tick> = None;
    for at in ticks {
        if at <= now {
            return Some(now);
        }
        earliest = Some(earliest.map_or(at, |earliest| earliest.min(at)));
    }
    earliest
}
