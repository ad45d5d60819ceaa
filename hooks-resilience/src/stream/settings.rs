//! How streams are watched and brought to their end.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::error::Backoff;
use crate::health::SettingsError;

/// How streams are watched, and what is done when one breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct StreamSettings {
    /// What is done when text was released.
    pub after_text: AfterText,
    /// How long the first piece may take, once the answer began.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub first_chunk: Duration,
    /// How long it may take from one piece to the next.
    #[serde(with = "crate::duration")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub idle: Duration,
    /// How often an answer may break and be gone on with.
    pub breaks: u32,
    /// How long the pauses are before a model that broke off is asked again; another one is asked at once.
    pub backoff: Backoff,
}

/// What is done when a stream breaks of which text was released, and no tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AfterText {
    /// A model that can go on behind the beginning of its answer is given what was received; where none can, it
    /// fails. What it says again of that is left out: all of it from 4 bytes on, its last words from 24.
    #[default]
    Resume,
    /// The call is made again, and the caller is told that what it received does not count.
    Restart,
    /// It fails, with what was received.
    Fail,
}

impl Default for StreamSettings {
    /// A minute for every piece, ours: as long as a whole answer may take before it is slow. Two breaks, as often as the
    /// providers' own clients try again.
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

impl StreamSettings {
    /// What is done when text was released.
    #[must_use]
    pub const fn with_after_text(mut self, rule: AfterText) -> Self {
        self.after_text = rule;
        self
    }

    /// How long the first piece may take, and every other.
    #[must_use]
    pub const fn with_patience(mut self, first_chunk: Duration, idle: Duration) -> Self {
        (self.first_chunk, self.idle) = (first_chunk, idle);
        self
    }

    /// How often an answer may break, and what pauses are made.
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
