//! Conditions and rate of alerts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::health::SettingsError;

/// Conditions and rate of alerts.
///
/// ```
/// use hooks_resilience::{AlertLayer, AlertConfig};
/// # use hooks_resilience::{Catalog, Health, HealthSettings};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
///
/// let settings: AlertConfig = serde_json::from_value(serde_json::json!({"errors": 5, "window": "2m"}))?;
/// assert_eq!(settings, AlertConfig::default().with_threshold(5, std::time::Duration::from_secs(120)));
///
/// let error = AlertLayer::new(&health, settings.with_rate(0), |_| {}).expect_err("no alert could be sent");
/// assert_eq!(
///     error.to_string(),
///     "`alert.per_minute` is zero; give a count of at least 1, or a time such as `30s`",
/// );
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AlertConfig {
    /// Number of failed attempts within `window` that raises an alert.
    pub errors: usize,
    /// Length of the window.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub window: Duration,
    /// Time for which the same alert is not repeated.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub quiet: Duration,
    /// Most alerts per minute.
    pub per_minute: usize,
    /// Most alerts that wait for the sink.
    pub queue: usize,
}

impl Default for AlertConfig {
    /// Our choice for operators on call. Ten failures a minute are more than one unlucky agent. The same
    /// alert comes at most every ten minutes, and six messages a minute can still be read.
    fn default() -> Self {
        Self {
            errors: 10,
            window: Duration::from_secs(60),
            quiet: Duration::from_secs(10 * 60),
            per_minute: 6,
            queue: 64,
        }
    }
}

impl AlertConfig {
    /// Sets how many failed attempts within `window` raise an alert.
    #[must_use]
    pub const fn with_threshold(mut self, errors: usize, window: Duration) -> Self {
        (self.errors, self.window) = (errors, window);
        self
    }

    /// Sets the time for which the same alert is not repeated.
    #[must_use]
    pub const fn with_quiet(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    /// Sets the most alerts per minute.
    #[must_use]
    pub const fn with_rate(mut self, per_minute: usize) -> Self {
        self.per_minute = per_minute;
        self
    }

    /// Sets the most alerts that wait for the sink.
    #[must_use]
    pub const fn with_queue(mut self, queue: usize) -> Self {
        self.queue = queue;
        self
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let counts = [
            ("alert.errors", self.errors),
            ("alert.per_minute", self.per_minute),
            ("alert.queue", self.queue),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((name, _)) => Err(SettingsError::Zero(name)),
            None if self.window.is_zero() => Err(SettingsError::Zero("alert.window")),
            None => Ok(()),
        }
    }
}
