//! Settings of retries with the same model.

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// Settings of retries with the same model. The [`Treatments`](crate::Treatments) define how often each kind
/// of error is retried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RetryConfig {
    /// Pauses between attempts.
    pub backoff: Backoff,
    /// Most attempts with one model, whatever a treatment allows.
    pub max_attempts: u32,
}

impl Default for RetryConfig {
    /// Five attempts. Default treatments make at most three, as the SRE book recommends, unless a provider states
    /// a short wait: then this limit counts.
    fn default() -> Self {
        Self { backoff: Backoff::default(), max_attempts: 5 }
    }
}

impl RetryConfig {
    /// Sets the pauses between attempts.
    #[must_use]
    pub const fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets the most attempts.
    #[must_use]
    pub const fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        if self.max_attempts == 0 {
            return Err(SettingsError::Zero("retry.max_attempts"));
        }
        if self.backoff.cap < self.backoff.base {
            return Err(SettingsError::Order("retry.backoff.cap", "retry.backoff.base"));
        }
        Ok(())
    }
}
