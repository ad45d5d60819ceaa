//! How the same model is asked again.

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// How the same model is asked again. How often each kind of error is worth it stands in the
/// [`Treatments`](crate::Treatments).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RetrySettings {
    /// The pauses between attempts.
    pub backoff: Backoff,
    /// How many attempts there are at most of one model, whatever a treatment says.
    pub max_attempts: u32,
}

impl Default for RetrySettings {
    /// Five: more than any default treatment makes (three, as the SRE book has it), so that only changed ones come to it.
    fn default() -> Self {
        Self { backoff: Backoff::default(), max_attempts: 5 }
    }
}

impl RetrySettings {
    /// Pauses like this.
    #[must_use]
    pub const fn with_backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// At most so many attempts.
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
