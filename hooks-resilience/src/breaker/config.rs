//! Conditions that open a breaker, and the open times.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::health::SettingsError;

/// Conditions that open a breaker, and the open times. The defaults suit agents, which make a few calls a
/// minute.
///
/// ```
/// use hooks_resilience::{BreakerConfig, Catalog, Health, HealthSettings};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let breaker: BreakerConfig = serde_json::from_value(serde_json::json!({"failure_rate": 1.5}))?;
/// let mut settings = HealthSettings::default();
/// settings.breaker = breaker;
/// let error = Health::new(&Catalog::default(), settings, world).expect_err("150 % of the calls cannot fail");
/// assert_eq!(
///     error.to_string(),
///     "`breaker.failure_rate` is not a share of calls; give it a value above 0 and at most 1",
/// );
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BreakerConfig {
    /// Length of the window in which calls count.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub window: Duration,
    /// Fewest calls in a window for which its rates count.
    pub minimum_calls: u32,
    /// Share of failed calls at which the breaker opens.
    pub failure_rate: f64,
    /// Time from which an answer counts as slow, also a good one; `None` if only timeouts do.
    #[serde(with = "crate::duration::option")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub slow_after: Option<Duration>,
    /// Share of slow calls at which the breaker opens.
    pub slow_rate: f64,
    /// Number of consecutive failures that opens the breaker however few calls there are. With many calls it
    /// takes more: one for every six calls in the window, and at most `minimum_calls`. If a third of a
    /// thousand calls fails, three failures in a row mean nothing.
    pub failures_in_a_row: u32,
    /// Time for which the breaker stays open at first. It doubles after each failed probe, and is halved if
    /// the breaker opens again soon after a probe was answered.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub open: Duration,
    /// Longest time for which the breaker stays open.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub open_at_most: Duration,
    /// Open time for errors that an operator has to repair: refused credentials, used-up credit.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub open_hard: Duration,
    /// Time that a probe has to return before another one is sent.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub probe: Duration,
}

impl Default for BreakerConfig {
    /// Half of a minute's calls, and a minute for a slow answer, are resilience4j's defaults. The share of
    /// slow calls is 80 % instead of its 100 %, so that a rare fast answer hides nothing. Ten calls instead
    /// of its hundred, and three failures in a row instead of Envoy's five, because an agent makes a few
    /// calls a minute.
    ///
    /// The first open time is Envoy's sweep of ten seconds. The longest is half a minute, measured in our
    /// simulator (`cargo xtask storm`): two minutes outlast most outages, and lost 0.22 % of the sessions of
    /// an ordinary day; half a minute lost none. Five minutes for errors that an operator has to repair:
    /// credentials are not replaced faster. A probe has as long as an answer that is not slow.
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

impl BreakerConfig {
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

/// Calls of more than a day ago show nothing about the present.
const LONGEST_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);
