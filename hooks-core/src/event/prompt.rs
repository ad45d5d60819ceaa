//! Event of a user message.

use serde::{Deserialize, Serialize};

/// A user message, before the model sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UserPromptSubmitted {
    /// Text of the message.
    pub prompt: String,
    /// Position of the message in the session.
    #[serde(default)]
    pub kind: PromptKind,
}

impl UserPromptSubmitted {
    /// A message of this kind.
    pub fn new(prompt: impl Into<String>, kind: PromptKind) -> Self {
        Self { prompt: prompt.into(), kind }
    }

    pub(super) fn rewrite(&mut self, prompt: String) {
        self.prompt = prompt;
    }
}

/// Position of a user message in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptKind {
    /// The first message.
    #[default]
    Initial,
    /// A message while the agent works.
    Steering,
    /// A message after the agent answered.
    FollowUp,
}
