//! What happens to messages, as plain data.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens to a user's messages before a model sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptConfig {
    /// The team folder, from the root of the project.
    pub team: PathBuf,
    /// What happens to standing wishes, such as "never push to main".
    pub directives: Wishes,
    /// Who is said to have given them.
    pub author: String,
    /// How many of the team's last decisions the model is told, at most.
    pub recent_decisions: usize,
    /// Whether the model is told which ceremonies are held by themselves.
    pub ceremonies: bool,
    /// What the team agreed on, beside the principles in its `routing.md`.
    pub conventions: Vec<String>,
    /// Whether a message to somebody on the team gets a hint whom it is for.
    pub routing_hints: bool,
    /// Texts that have to be in every message; what is missing is added at its end.
    pub required: Vec<String>,
    /// Whether secrets and personal data are taken out of messages.
    pub scrub: bool,
}

/// What happens to standing wishes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wishes {
    /// They are kept in the team's inbox, and told to the user.
    #[default]
    Capture,
    /// They are told to the user.
    Tell,
    /// Nothing.
    Ignore,
}

impl Default for PromptConfig {
    fn default() -> Self {
        Self {
            team: PathBuf::from(".squad"),
            directives: Wishes::default(),
            author: "user".to_owned(),
            recent_decisions: 5,
            ceremonies: true,
            conventions: Vec::new(),
            routing_hints: true,
            required: Vec::new(),
            scrub: false,
        }
    }
}
