//! Timeouts of streams, and their continuation.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// Timeouts of streams, and the reaction to a break.
///
/// ```
/// use std::time::Duration;
/// use hooks_resilience::stream::AfterText;
/// use hooks_resilience::{Catalog, Health, HealthSettings, ResumeLayer, StreamConfig};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
///
/// let settings: StreamConfig =
///     serde_json::from_value(serde_json::json!({"after_text": "fail", "first_chunk": "20s", "idle": "5s"}))?;
/// let (first_chunk, idle) = (Duration::from_secs(20), Duration::from_secs(5));
/// let expected = StreamConfig::default().with_after_text(AfterText::Fail);
/// assert_eq!(settings, expected.with_patience(first_chunk, idle));
///
/// let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
/// let error = ResumeLayer::new(health, settings.with_patience(first_chunk, Duration::ZERO));
/// assert_eq!(error.expect_err("no chunk could be in time").setting(), "stream.idle");
/// # Ok::<(), BoxError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StreamConfig {
    /// Reaction to a break after text was released.
    pub after_text: AfterText,
    /// Longest wait for the first chunk, once the answer began.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub first_chunk: Duration,
    /// Longest wait from one chunk to the next.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub idle: Duration,
    /// Most breaks of one answer that are continued.
    pub breaks: u32,
    /// Pauses before a model that broke off is called again; other models are called at once.
    pub backoff: Backoff,
}

/// Reaction to a break after text was released, and no tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AfterText {
    /// Gives the received text to a model that can continue a partial answer; if no model can, the stream
    /// fails. Repeated text is removed: the whole text from 4 bytes on, its last words from 24.
    #[default]
    Resume,
    /// Makes the call again, and signals that the received parts do not count.
    Restart,
    /// Fails, with the received part.
    Fail,
}

impl Default for StreamConfig {
    /// Our choice: a minute for every chunk, the time after which a whole answer is slow. Two breaks, as many
    /// as the retries of the providers' own clients.
    fn default() -> Self {
        let minute = Duration::from_secs(60);
        Self {
            after_text: AfterText::default(),
            first_chunk: minute,
            idle: minute,
            breaks: 2,
            backoff: Backoff::default(),
        }
    }
}

impl StreamConfig {
    /// Sets the reaction to a break after text was released.
    #[must_use]
    pub const fn with_after_text(mut self, rule: AfterText) -> Self {
        self.after_text = rule;
        self
    }

    /// Sets the longest waits for the first chunk and for every other.
    #[must_use]
    pub const fn with_patience(mut self, first_chunk: Duration, idle: Duration) -> Self {
        (self.first_chunk, self.idle) = (first_chunk, idle);
        self
    }

    /// Sets the most breaks of an answer, and the pauses after them.
    #[must_use]
    pub const fn with_breaks(mut self, breaks: u32, backoff: Backoff) -> Self {
        (self.breaks, self.backoff) = (breaks, backoff);
        self
    }

    pub(super) const fn check(&self) -> Result<(), SettingsError> {
        if self.first_chunk.is_zero() {
            return Err(SettingsError::Zero("stream.first_chunk"));
        }
        if self.idle.is_zero() {
            return Err(SettingsError::Zero("stream.idle"));
        }
        Ok(())
    }
}
