//! Conditions and rate of alerts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::health::SettingsError;

/// Conditions and rate of alerts.
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
