//! Events in which the agent stops, reaches its iteration limit, waits for the user, or reports.

use serde::{Deserialize, Serialize};

/// The model finished its response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Stop {
    /// Response of the model.
    pub response: String,
    /// Last message of the user.
    #[serde(alias = "lastUserMessage")]
    pub last_user_message: Option<String>,
}

impl Stop {
    /// The model finished with this response.
    pub fn new(response: impl Into<String>) -> Self {
        Self { response: response.into(), last_user_message: None }
    }
}

/// The iteration limit was reached, or the user allowed more iterations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MaxIterations {
    /// The limit.
    pub limit: u64,
    /// Whether the user allowed more iterations.
    #[serde(default)]
    pub resumed: bool,
}

impl MaxIterations {
    /// The limit was reached.
    pub fn new(limit: u64) -> Self {
        Self { limit, resumed: false }
    }

    /// The user allowed more iterations than this limit.
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
    /// Severity of the notification.
    #[serde(default)]
    pub level: Level,
    /// Text of the notification.
    pub message: String,
}

impl Notification {
    /// A notification of this level.
    pub fn new(level: Level, message: impl Into<String>) -> Self {
        Self { level, message: message.into() }
    }
}

/// Severity of a notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Level {
    /// Information only.
    #[default]
    Info,
    /// A problem that does not stop the agent.
    Warning,
    /// A failure.
    Error,
}

/// The agent waits for the user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UserInputRequested {
    /// Question to the user.
    pub question: String,
}

impl UserInputRequested {
    /// An event for this question.
    pub fn new(question: impl Into<String>) -> Self {
        Self { question: question.into() }
    }
}
