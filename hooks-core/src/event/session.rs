//! A session begins and ends.

use serde::{Deserialize, Serialize};

/// A session begins or resumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct SessionStart {
    /// The model it starts with.
    pub model: Option<String>,
    /// The agent's charter.
    #[serde(alias = "charterContent")]
    pub charter_content: Option<String>,
    /// Why it starts.
    pub source: StartSource,
    /// What the user said first.
    #[serde(alias = "initialPrompt")]
    pub initial_prompt: Option<String>,
}

/// Why a session starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StartSource {
    /// A new one.
    #[default]
    Startup,
    /// An earlier one goes on.
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
    /// How long it lasted, in milliseconds.
    #[serde(alias = "durationMs")]
    pub duration_ms: u64,
    /// Why it ended.
    pub reason: EndReason,
    /// What went wrong, if that ended it.
    pub error: Option<String>,
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EndReason {
    /// It was done.
    #[default]
    Complete,
    /// Something failed.
    Error,
    /// It was dropped or cancelled.
    Abort,
    /// Its time was up.
    Timeout,
    /// The user left.
    UserExit,
}
