//! When a breaker opens, and for how long.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::health::SettingsError;

/// When a breaker opens, and for how long. The defaults suit agents, which make a few calls a minute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BreakerSettings {
    /// How far back calls count.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub window: Duration,
    /// So many calls there have to be in a window before its rates mean anything.
    pub minimum_calls: u32,
    /// The share of failed calls at which it opens.
    pub failure_rate: f64,
    /// From when on an answer is slow, a good one too; None where only timeouts are.
    #[serde(with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub slow_after: Option<Duration>,
    /// The share of slow calls at which it opens.
    pub slow_rate: f64,
    /// So many failures one after the other open it however few calls there are. Of many calls it takes more, one for every six in
    /// the window, and never more than `minimum_calls`: of a thousand calls of which a third fails, three in a row mean nothing.
    pub failures_in_a_row: u32,
    /// How long it stays open the first time; twice as long after each probe that fails, and half as long where it opens
    /// again soon after one was answered.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub open: Duration,
    /// The longest it stays open.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub open_at_most: Duration,
    /// How long it stays open where it takes somebody to mend it: bad credentials, credit used up.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub open_hard: Duration,
    /// How long a probe has to come back before another one is sent.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub probe: Duration,
}

impl Default for BreakerSettings {
    /// Where they come from: half of a minute's calls and a slow answer of a minute are resilience4j's defaults; 80 % of
    /// slow calls instead of its 100 %, so that a rare fast one hides nothing. Ten calls instead of its hundred, and three
    /// failures in a row instead of Envoy's five, because an agent makes a few calls a minute. Open for Envoy's sweep of
    /// ten seconds at first; for half a minute at most, because that was measured in our simulator (`cargo xtask storm`):
    /// two minutes outlast most outages, and lost 0.22 % of the sessions of an ordinary day, of which half a minute lost
    /// none. Five minutes where people have to act: nobody mends credentials faster. A probe has as long as an answer
    /// that is not slow.
    fn default() -> Self {
        Self {
            window: Duration::from_secs(60),
            minimum_calls: 10,
            failure_rate: 0.5,
            slow_after: Some(Duration::from_secs(60)),
            slow_rate: 0.8,
            failures_in_a_row: 3,
            open: Duration::from_secs(10),
            open_at_most: Duration::from_secs(30),
            open_hard: Duration::from_secs(300),
            probe: Duration::from_secs(60),
        }
    }
}

impl BreakerSettings {
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let lengths = [
            ("breaker.window", self.window),
            ("breaker.open", self.open),
            ("breaker.open_hard", self.open_hard),
            ("breaker.probe", self.probe),
        ];
        for (name, length) in lengths {
            if length.is_zero() {
                return Err(SettingsError::Zero(name));
            }
        }
        if self.window > LONGEST_WINDOW {
            return Err(SettingsError::TooLong("breaker.window", LONGEST_WINDOW));
        }
        if self.open_at_most < self.open {
            return Err(SettingsError::Order("breaker.open_at_most", "breaker.open"));
        }
        for (name, rate) in
            [("breaker.failure_rate", self.failure_rate), ("breaker.slow_rate", self.slow_rate)]
        {
            if !(rate > 0.0 && rate <= 1.0) {
                return Err(SettingsError::Rate(name));
            }
        }
        for (name, count) in [
            ("breaker.minimum_calls", self.minimum_calls),
            ("breaker.failures_in_a_row", self.failures_in_a_row),
        ] {
            if count == 0 {
                return Err(SettingsError::Zero(name));
            }
        }
        Ok(())
    }
}

/// Beyond a day a window says nothing about now.
const LONGEST_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
