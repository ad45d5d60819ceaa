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
    /// Whether the agent runs only because a hook denied its last stop. A guard that denies again loops.
    #[serde(default, alias = "stopHookActive", skip_serializing_if = "std::ops::Not::not")]
    pub stop_hook_active: bool,
}

impl Stop {
    /// The model finished with this response.
    pub fn new(response: impl Into<String>) -> Self {
        Self { response: response.into(), ..Self::default() }
    }

    /// Marks a stop of an agent that runs only because a hook denied its last one.
    ///
    /// ```
    /// use hooks_core::event::Stop;
    ///
    /// assert!(Stop::new("done").after_a_denial().stop_hook_active);
    /// ```
    #[must_use]
    pub fn after_a_denial(mut self) -> Self {
        self.stop_hook_active = true;
        self
    }
}

/// The iteration limit was reached, or the user allowed more iterations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct MaxIterations {
    /// The limit now.
    pub limit: u64,
    /// Whether the user allowed more iterations.
    #[serde(default)]
    pub resumed: bool,
    /// The limit before the user allowed more iterations.
    #[serde(default, alias = "previousLimit", skip_serializing_if = "Option::is_none")]
    pub previous_limit: Option<u64>,
    /// Message for the user, in the words of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl MaxIterations {
    /// The limit was reached.
    pub fn new(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// The user allowed more iterations, up to this limit.
    pub fn resumed(limit: u64) -> Self {
        Self { limit, resumed: true, ..Self::default() }
    }

    /// Sets the limit that was reached before the user allowed more iterations.
    ///
    /// ```
    /// use hooks_core::event::MaxIterations;
    ///
    /// let more = MaxIterations::resumed(30).from_limit(20);
    /// assert_eq!((more.previous_limit, more.limit), (Some(20), 30));
    /// ```
    #[must_use]
    pub const fn from_limit(mut self, previous: u64) -> Self {
        self.previous_limit = Some(previous);
        self
    }

    /// Sets the message for the user.
    #[must_use]
    pub fn saying(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
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
