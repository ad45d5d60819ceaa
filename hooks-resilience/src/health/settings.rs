//! How the health of models is judged, and what is nonsense.

use std::sync::Arc;
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
    /// The longest a provider's word keeps a model from being asked: one that says "a week" is asked before.
    pub longest_gate: Duration,
    /// How many instances share a store, roughly: while it is away each keeps to its share of the rates.
    pub instances: u32,
    /// What is done about each kind of error.
    pub treatments: Treatments,
}

impl Default for HealthSettings {
    /// Ours: what comes in five seconds may go out together, as the calls of one turn do; three minutes for a provider's
    /// word, since a wrong one must not take all of a call's ten minutes, and a spend cap may be lifted, and a key changed, long before
    /// the week it spoke of is over; ten instances, for a
    /// fleet that does not say how many it has.
    fn default() -> Self {
        Self {
            breaker: BreakerSettings::default(),
            burst: Duration::from_secs(5),
            budget: BudgetSettings::default(),
            longest_gate: Duration::from_secs(3 * 60),
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
    /// A tenth of the first attempts, as in Google's SRE book (chapter 21, "Handling overload"). The ten a minute are for
    /// agents: of four calls a minute a share alone pays hardly any further attempt. In a prototype of our simulator it
    /// took the failures from 22 to 35 of a hundred sessions, with one model and the published outages.
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
    /// Which setting it is, as `hooks.yaml` has it under `models`, such as `breaker.window`.
    pub const fn setting(&self) -> &'static str {
        match self {
            Self::Zero(name) | Self::Rate(name) | Self::Share(name) => name,
            Self::TooLong(name, _) | Self::Order(name, _) | Self::Percent(name, ..) => name,
            Self::NoPlaces(_) => "limits.concurrent",
        }
    }
}

/// What is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// Nothing where there has to be something.
    #[error("`{0}` is zero; give a count of at least 1, or a time such as `30s`")]
    Zero(&'static str),
    /// No rate of calls.
    #[error("`{0}` is no share of calls; give it a value above 0 and at most 1")]
    Rate(&'static str),
    /// No ratio.
    #[error("`{0}` is no ratio; give it a value from 0 to 10")]
    Share(&'static str),
    /// No percentage.
    #[error("`{0}` is no such percentage; give it a value from {1} to {2}")]
    Percent(&'static str, u8, u8),
    /// A model that could never be asked.
    #[error(
        "the model `{0}` has a `limits.concurrent` of zero and could never be asked; leave it out where it is not known"
    )]
    NoPlaces(Arc<str>),
    /// More than makes sense.
    #[error("`{0}` is longer than {1:?}; give it a shorter one")]
    TooLong(&'static str, Duration),
    /// The upper bound is below the lower one.
    #[error("`{0}` is less than `{1}`; raise the first or lower the second")]
    Order(&'static str, &'static str),
}
