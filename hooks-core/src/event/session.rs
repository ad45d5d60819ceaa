//! Events of the start and the end of a session.

use serde::{Deserialize, Serialize};

/// A session begins or resumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionStart {
    /// Model that the session starts with.
    pub model: Option<String>,
    /// The agent's charter.
    #[serde(alias = "charterContent")]
    pub charter_content: Option<String>,
    /// Cause of the start.
    pub source: StartSource,
    /// First message of the user.
    #[serde(alias = "initialPrompt")]
    pub initial_prompt: Option<String>,
}

/// Cause of a session start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StartSource {
    /// A new session.
    #[default]
    Startup,
    /// An earlier session continues.
    Resume,
    /// The context was cleared.
    Clear,
    /// The context was compacted.
    Compact,
}

/// A session ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionEnd {
    /// Tokens used, input and output together.
    #[serde(alias = "tokensUsed")]
    pub tokens_used: u64,
    /// Tool calls that ran.
    #[serde(alias = "toolCallCount")]
    pub tool_call_count: u64,
    /// Files that were written, in order of the first write.
    #[serde(alias = "filesModified")]
    pub files_modified: Vec<String>,
    /// Duration of the session in milliseconds.
    #[serde(alias = "durationMs")]
    pub duration_ms: u64,
    /// Reason for the end.
    pub reason: EndReason,
    /// Error message, if an error ended the session.
    pub error: Option<String>,
}

/// Reason for the end of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// The work was complete.
    #[default]
    Complete,
    /// An error ended the session.
    Error,
    /// The session was dropped or cancelled.
    Abort,
    /// The time limit was reached.
    Timeout,
    /// The user left.
    UserExit,
}
