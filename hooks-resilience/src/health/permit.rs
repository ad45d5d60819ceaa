//! The right to ask a model once.

use std::time::Duration;

use hooks_core::time::Tick;

use super::{Health, NotAdmitted, Telling};
use crate::breaker::{Pass, Showed};
use crate::error::{BreakerVote, ErrorKind, ModelError, NextModel};

/// The right to ask a model once. Whoever holds it says how it went; dropped before, it says nothing about the
/// model, and a probe is given back.
#[derive(Debug)]
#[must_use = "a permit that is dropped is given back"]
pub struct Permit {
    health: Health,
    pub(super) model: usize,
    pub(super) pass: Pass,
    /// What its provider's breaker gave, where that had something to find out.
    pub(super) provider: Option<Pass>,
    /// Since when.
    began: Tick,
    told: bool,
}

impl Permit {
    pub(super) fn new(health: Health, model: usize, pass: Pass, began: Tick) -> Self {
        Self { health, model, pass, provider: None, began, told: false }
    }

    /// Whether this call is the one that finds out.
    pub fn is_probe(&self) -> bool {
        matches!(self.pass, Pass::Probe(_)) || matches!(self.provider, Some(Pass::Probe(_)))
    }

    /// Now, on the clock of what it is a permit for.
    pub(crate) fn now(&self) -> Tick {
        self.health.world().tick()
    }

    /// The model answered, at `now`, `took` after it was asked.
    pub fn succeeded(self, now: Tick, took: Duration) {
        drop(self.success(now, took));
    }

    /// It failed, at `now`, `took` after it was asked. Where the provider said how long it wants to be left alone, or
    /// how much it lets through, that is kept to.
    pub fn failed(self, error: &ModelError, now: Tick, took: Duration) {
        drop(self.failure(error, now, took));
    }

    /// Whether the fleet leaves this call to us; only a probe can be lost to others.
    pub(crate) fn confirm(&self, now: Tick) -> Result<(), NotAdmitted> {
        self.health.confirm(self, now)
    }

    pub(crate) fn success(self, now: Tick, took: Duration) -> Telling {
        let slow = self.is_slow(took);
        self.tell(Showed::Success { slow }, false, now)
    }

    pub(crate) fn failure(self, error: &ModelError, now: Tick, took: Duration) -> Telling {
        let treatment = self.health.treatments().of(error.kind());
        // A quota that is used up may say nothing of when it is not: that it was is worth knowing all the same.
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
            // What a store that answers later would have to hear goes along with the next word.
            drop(self.health.tell(self, Showed::Nothing, false, [self.began, self.now()]));
        }
    }
}
