//! How the health of models is judged, and what is nonsense.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::breaker::BreakerSettings;
use crate::error::Treatments;

/// How the health of models is judged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct HealthSettings {
    /// When a breaker opens.
    pub breaker: BreakerSettings,
    /// How far ahead of its pace a rate may be: what comes in this time may be taken at once.
    pub burst: Duration,
    /// How many attempts beyond the first ones there may be.
    pub budget: BudgetSettings,
    /// The longest a provider's word keeps a model closed: one that says "a week" is asked before.
    pub longest_gate: Duration,
    /// How many instances share a store, roughly: while it is away each keeps to its share of the rates.
    pub instances: u32,
    /// What is done about each kind of error.
    pub treatments: Treatments,
}

impl Default for HealthSettings {
    fn default() -> Self {
        Self {
            breaker: BreakerSettings::default(),
            burst: Duration::from_secs(5),
            budget: BudgetSettings::default(),
            longest_gate: Duration::from_secs(10 * 60),
            instances: 10,
            treatments: Treatments::default(),
        }
    }
}

/// How many attempts beyond the first ones there may be, for each provider: a share of the first ones, and some
/// each minute however few those are. A share alone would starve an agent that makes four calls a minute.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BudgetSettings {
    /// The share of the first attempts.
    pub ratio: f64,
    /// So many a minute in any case.
    pub per_minute: u32,
    /// So many may be saved up.
    pub burst: u32,
}

impl Default for BudgetSettings {
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
            return Err(SettingsError::Zero("longest_gate"));
        }
        if self.instances == 0 {
            return Err(SettingsError::Zero("instances"));
        }
        Ok(())
    }
}

impl SettingsError {
    /// Which setting it is, such as `breaker.window`.
    pub const fn setting(&self) -> &'static str {
        match self {
            Self::Zero(name) | Self::Rate(name) | Self::Share(name) | Self::Percent(name) => name,
            Self::TooLong(name, _) | Self::Order(name, _) => name,
        }
    }
}

/// What is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Nothing where there has to be something.
    #[error("`{0}` is zero; give it a value above")]
    Zero(&'static str),
    /// No rate of calls.
    #[error("`{0}` is no share of calls; give it a value above 0 and at most 1")]
    Rate(&'static str),
    /// No ratio.
    #[error("`{0}` is no ratio; give it a value from 0 to 10")]
    Share(&'static str),
    /// No percentage.
    #[error("`{0}` is no percentage; give it a value from 1 to 99")]
    Percent(&'static str),
    /// More than makes sense.
    #[error("`{0}` is longer than {1:?}; give it a shorter one")]
    TooLong(&'static str, Duration),
    /// The upper bound is below the lower one.
    #[error("`{0}` is less than `{1}`; raise the first or lower the second")]
    Order(&'static str, &'static str),
}
