//! The agent stops, reaches its cap, waits for a person, reports.

use serde::{Deserialize, Serialize};

/// The model finished its response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Stop {
    /// What it said.
    pub response: String,
    /// What the user said last.
    #[serde(alias = "lastUserMessage")]
    pub last_user_message: Option<String>,
}

impl Stop {
    /// It ended with this response.
    pub fn new(response: impl Into<String>) -> Self {
        Self { response: response.into(), last_user_message: None }
    }
}

/// The cap on iterations is reached, or a person allowed to go on beyond it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MaxIterations {
    /// The cap.
    pub limit: u64,
    /// Whether a person allowed to go on beyond it.
    #[serde(default)]
    pub resumed: bool,
}

impl MaxIterations {
    /// This cap is reached.
    pub fn new(limit: u64) -> Self {
        Self { limit, resumed: false }
    }

    /// A person allowed to go on beyond this cap.
    pub fn resumed(limit: u64) -> Self {
        Self { limit, resumed: true }
    }
}

/// A warning or an error of the runtime.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Notification {
    /// How bad it is.
    #[serde(default)]
    pub level: Level,
    /// What it says.
    pub message: String,
}

impl Notification {
    /// A message of this level.
    pub fn new(level: Level, message: impl Into<String>) -> Self {
        Self { level, message: message.into() }
    }
}

/// How bad a notification is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Level {
    /// For information.
    #[default]
    Info,
    /// Something is off.
    Warning,
    /// Something failed.
    Error,
}

/// The agent waits for a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UserInputRequested {
    /// What is asked.
    pub question: String,
}

impl UserInputRequested {
    /// This is asked.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into() }
    }
}
