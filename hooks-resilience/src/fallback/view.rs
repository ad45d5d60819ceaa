//! Questions about models before one of them is chosen.

use std::time::Duration;

use hooks_core::time::Tick;

use crate::breaker::BreakerState;
use crate::call::Needs;
use crate::catalog::Model;
use crate::health::{Health, Readiness};

/// The source of a plan's knowledge about models: [`Health`], or a table in a test.
///
/// ```
/// use hooks_core::time::Tick;
/// use hooks_resilience::fallback::{Plan, Step, View};
/// use hooks_resilience::{Catalog, Chain, FallbackConfig, Model, Needs, Readiness, Tier};
///
/// /// A provider is closed for maintenance.
/// struct Closed(&'static str);
///
/// impl View for Closed {
///     fn readiness(&self, model: &Model, _: &Needs, _: Tick) -> Readiness {
///         if *model.provider == *self.0 { Readiness::Never } else { Readiness::Ready }
///     }
///
///     fn another_attempt(&self, _: &Model, _: Tick) -> bool {
///         true
///     }
/// }
///
/// let catalog = Catalog::new([
///     Model::new("opus", "anthropic", Tier::Premium),
///     Model::new("gpt", "openai", Tier::Premium),
/// ])?;
/// let chain = Chain::new(catalog.models()[0].clone(), catalog.models()[1..].iter().cloned());
/// let mut plan = Plan::new(chain, Needs::default(), None, &FallbackConfig::default());
/// let step = plan.next(&Closed("anthropic"), Tick::default());
/// assert_eq!(step, Step::Try { place: 1, elsewhere: None, last_resort: false });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait View {
    /// When `model` could be called.
    fn readiness(&self, model: &Model, needs: &Needs, now: Tick) -> Readiness;

    /// Takes one further attempt from the retry budget; false if the budget is used up.
    fn another_attempt(&self, model: &Model, now: Tick) -> bool;

    /// When `model` could be called through its open breaker, because it answers some calls or this is the
    /// last chance of the call.
    fn last_resort(&self, _model: &Model, _needs: &Needs, _now: Tick, _last_chance: bool) -> Option<Tick> {
        None
    }

    /// Whether a probe of `model` is in flight: then it may be ready at any moment.
    fn is_probed(&self, _model: &Model) -> bool {
        false
    }

    /// The time that `model` took for its recent answers; `None` if it gave none.
    fn usual_time(&self, _model: &Model) -> Option<Duration> {
        None
    }

    /// Answers of `model` to a thousand calls, by its recent ones.
    fn answers_per_thousand(&self, _model: &Model) -> u32 {
        1_000
    }
}

impl View for Health {
    /// If the breaker of a model may close at any moment, the model is checked again soon, before its probe
    /// counts as lost or the breaker would let one through. While a gate is shut, this would be of no use.
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

    fn usual_time(&self, model: &Model) -> Option<Duration> {
        Self::usual_time(self, model)
    }

    fn answers_per_thousand(&self, model: &Model) -> u32 {
        Self::answers_per_thousand(self, model)
    }
}

/// Interval at which a model that may be ready at any moment is checked again. A shorter one would let all
/// waiting calls through within a second of one answer, before the first of them could show that the answer
/// was luck.
const SOON: Duration = Duration::from_secs(3);

/// Time from which `model` may be ready: `now` if a probe is in flight, so that no call sleeps through its
/// end.
pub(super) fn soonest(view: &impl View, model: &Model, needs: &Needs, now: Tick) -> Option<Tick> {
    match view.readiness(model, needs, now) {
        Readiness::At(_) if view.is_probed(model) => Some(now),
        readiness => readiness.tick(now),
    }
}

/// The earliest of `ticks`, but no earlier than `now`.
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
