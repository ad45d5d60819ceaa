//! Configuration of the prompt layer, as plain data.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Checks and additions to a user's messages before a model sees them.
///
/// ```
/// use hooks_context::prompt::{PromptConfig, Wishes};
///
/// let config: PromptConfig = serde_json::from_str(r#"{"directives": "tell", "recent_decisions": 0}"#)?;
/// assert_eq!((config.directives, config.recent_decisions), (Wishes::Tell, 0));
/// assert!(config.routing_hints && !config.scrub); // the defaults
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct PromptConfig {
    /// Team folder, relative to the root of the project.
    pub team: PathBuf,
    /// Handling of standing wishes, such as "never push to main".
    pub directives: Wishes,
    /// Author of the wishes in the team's inbox.
    pub author: String,
    /// The most recent decisions of the team that the model gets.
    pub recent_decisions: usize,
    /// Whether the model gets the ceremonies that are held now.
    pub ceremonies: bool,
    /// Conventions of the team, in addition to the principles in `routing.md`.
    pub conventions: Vec<String>,
    /// Whether a message to a team member gets a hint about its addressee.
    pub routing_hints: bool,
    /// Texts that every message must contain; a missing text is added at the end.
    pub required: Vec<String>,
    /// Whether secrets and personal data are removed from messages.
    pub scrub: bool,
}

/// Handling of standing wishes.
///
/// ```
/// use hooks_context::prompt::{PromptConfig, Wishes};
///
/// assert_eq!(PromptConfig::default().directives, Wishes::Capture);
/// let wishes: Wishes = serde_json::from_str(r#""ignore""#)?;
/// assert_eq!(wishes, Wishes::Ignore);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wishes {
    /// Keeps the wishes in the team's inbox, and reports them to the user.
    #[default]
    Capture,
    /// Reports the wishes to the user.
    Tell,
    /// Ignores wishes.
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
