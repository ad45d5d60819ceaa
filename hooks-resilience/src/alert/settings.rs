//! When people are told, and how often.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::health::SettingsError;

/// When people are told, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AlertSettings {
    /// So many failed attempts within the window are too many.
    pub errors: usize,
    /// The window.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub window: Duration,
    /// How long the same thing is not said again.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub quiet: Duration,
    /// How many alerts there are in a minute at most.
    pub per_minute: usize,
    /// How many may wait for the sink.
    pub queue: usize,
}

impl Default for AlertSettings {
    /// Ours, for people who are on call: ten failures a minute are no bad luck of one agent, the same thing is said once
    /// in ten minutes, and six messages a minute can be read.
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

impl AlertSettings {
    /// So many failed attempts within a window are too many.
    #[must_use]
    pub const fn with_threshold(mut self, errors: usize, window: Duration) -> Self {
        (self.errors, self.window) = (errors, window);
        self
    }

    /// The same thing is not said again for this long.
    #[must_use]
    pub const fn with_quiet(mut self, quiet: Duration) -> Self {
        self.quiet = quiet;
        self
    }

    /// So many alerts in a minute at most.
    #[must_use]
    pub const fn with_rate(mut self, per_minute: usize) -> Self {
        self.per_minute = per_minute;
        self
    }

    /// So many may wait for the sink.
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
