//! The user says something.

use serde::{Deserialize, Serialize};

/// A user message, before the model sees it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UserPromptSubmitted {
    /// Its text.
    pub prompt: String,
    /// Where in the session it comes.
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

/// Where in a session a user message comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PromptKind {
    /// The first.
    #[default]
    Initial,
    /// While the agent works.
    Steering,
    /// After it answered.
    FollowUp,
}
