//! The permission to call a model once.

use std::time::Duration;

use hooks_core::time::Tick;

use super::{Health, NotAdmitted, Telling};
use crate::breaker::{Pass, Showed};
use crate::error::{BreakerVote, ErrorKind, ModelError, NextModel};

/// The permission to call a model once. The holder reports the result. If the permit is dropped without a
/// result, the call does not count, and a probe is returned.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::Tick;
/// use hooks_resilience::{BreakerState, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, Tier};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
/// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
/// let health = Health::new(&catalog, HealthSettings::default(), world)?;
/// let error = ModelError::new(ErrorKind::ModelUnavailable, "the model was retired");
/// health.admit(opus, Tick::default()).expect("it is healthy").failed(&error, Tick::default(), Duration::ZERO);
///
/// // After the open time, the first call is a probe. No other call passes until it has a result.
/// let later = Tick(Duration::from_secs(600));
/// let probe = health.admit(opus, later).expect("the open time is over");
/// assert!(probe.is_probe());
/// assert!(health.admit(opus, later).is_err());
/// probe.succeeded(later, Duration::from_secs(1));
/// assert_eq!(health.breaker(opus), BreakerState::Closed);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "a permit that is dropped is given back"]
pub struct Permit {
    health: Health,
    pub(super) model: usize,
    pub(super) pass: Pass,
    /// Admission by the provider's breaker, if that needs the result.
    pub(super) provider: Option<Pass>,
    /// Time at which the call was admitted.
    began: Tick,
    told: bool,
}

impl Permit {
    pub(super) fn new(health: Health, model: usize, pass: Pass, began: Tick) -> Self {
        Self { health, model, pass, provider: None, began, told: false }
    }

    /// Whether this call is a probe.
    pub fn is_probe(&self) -> bool {
        matches!(self.pass, Pass::Probe(_)) || matches!(self.provider, Some(Pass::Probe(_)))
    }

    /// The current time on the clock of the health record.
    pub(crate) fn now(&self) -> Tick {
        self.health.world().tick()
    }

    /// Reports that the model answered at `now`, `took` after the request.
    pub fn succeeded(self, now: Tick, took: Duration) {
        drop(self.success(now, took));
    }

    /// Reports a failure at `now`, `took` after the request. A wait or rate limits that the provider stated
    /// with it are respected from then on.
    pub fn failed(self, error: &ModelError, now: Tick, took: Duration) {
        drop(self.failure(error, now, took));
    }

    /// Confirms the call after the fleet's state was read; only a probe can be lost to other instances.
    pub(crate) fn confirm(&self, now: Tick) -> Result<(), NotAdmitted> {
        self.health.confirm(self, now)
    }

    pub(crate) fn success(self, now: Tick, took: Duration) -> Telling {
        let slow = self.is_slow(took);
        self.health.answered(self.model, took);
        self.tell(Showed::Success { slow }, false, now)
    }

    pub(crate) fn failure(self, error: &ModelError, now: Tick, took: Duration) -> Telling {
        let treatment = self.health.treatments().for_kind(error.kind());
        // A rate limit error without a stated wait is recorded with a wait of zero, because the refusal still
        // counts.
        let untold = || (error.kind() == ErrorKind::RateLimited).then_some(Duration::ZERO);
        if let Some(wait) = error.retry_after().or_else(untold).filter(|_| treatment.gate) {
            self.health.cool_down_place(self.model, now.after(wait), error.kind(), now);
        }
        if let Some(limits) = error.limits() {
            self.health.learn_limits(self.model, *limits);
        }
        let showed = match treatment.breaker {
            BreakerVote::Abstain => Showed::Nothing,
            BreakerVote::Failure => Showed::Failure { slow: self.is_slow(took) },
            BreakerVote::Slow => Showed::Failure { slow: true },
            BreakerVote::Open => Showed::Hopeless,
        };
        let wide = showed == Showed::Hopeless && treatment.next_model == NextModel::OtherProvider;
        self.tell(showed, wide, now)
    }

    fn is_slow(&self, took: Duration) -> bool {
        self.health.settings().breaker.slow_after.is_some_and(|limit| took >= limit)
    }

    fn tell(mut self, showed: Showed, wide: bool, now: Tick) -> Telling {
        self.told = true;
        self.health.tell(&self, showed, wide, [self.began, now])
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if !self.told && self.is_probe() {
            // If the store answers later, the next write carries this event.
            drop(self.health.tell(self, Showed::Nothing, false, [self.began, self.now()]));
        }
    }
}
