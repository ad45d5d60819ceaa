//! How far a call is taken.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// How far a call is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FallbackSettings {
    /// How many attempts one call may make, of all models together.
    pub max_attempts: u32,
    /// The pauses before a model that failed is asked again.
    pub backoff: Backoff,
    /// How long one call may be parked, all waits together.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub max_park: Duration,
    /// How many calls may be parked at a time; one more is told at once that no model is ready.
    pub max_parked: usize,
    /// How long calls stay with the model that served after a failover, or faster than the first; absent, each call prefers the first of its
    /// chain as soon as that is ready again.
    #[serde(with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub stay: Option<Duration>,
}

impl Default for FallbackSettings {
    /// What the storms hold their gates with (`cargo xtask storm`). Twelve attempts were used up by a total outage of half a
    /// minute, and twice as many by a brown-out of all models that answers one call of five; these are enough for ten minutes of it, with
    /// the rests of a plan between them. Five minutes of parking take the avoidable
    /// failures of a bad day from 0.8 % to none. As many parked calls as a process of agents hardly has at work: each
    /// holds its conversation.
    fn default() -> Self {
        Self {
            max_attempts: 64,
            backoff: Backoff::default(),
            max_park: Duration::from_secs(10 * 60),
            max_parked: 1_024,
            stay: None,
        }
    }
}

impl FallbackSettings {
    /// At most so many attempts.
    #[must_use]
    pub const fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Parks a call for at most this long; zero parks none.
    #[must_use]
    pub const fn with_max_park(mut self, park: Duration) -> Self {
        self.max_park = park;
        self
    }

    /// Parks so many calls at a time.
    #[must_use]
    pub const fn with_max_parked(mut self, calls: usize) -> Self {
        self.max_parked = calls;
        self
    }

    /// Pauses like this before a model is asked again.
    #[must_use]
    pub const fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Stays this long with the model that served after a failover.
    #[must_use]
    pub const fn staying(mut self, stay: Duration) -> Self {
        self.stay = Some(stay);
        self
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.max_attempts == 0 {
            return Err(SettingsError::Zero("fallback.max_attempts"));
        }
        if self.stay.is_some_and(|stay| stay.is_zero()) {
            return Err(SettingsError::Zero("fallback.stay"));
        }
        if self.backoff.cap < self.backoff.base {
            return Err(SettingsError::Order("fallback.backoff.cap", "fallback.backoff.base"));
        }
        Ok(())
    }
}
