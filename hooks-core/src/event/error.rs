//! Events of a failure.

use serde::{Deserialize, Serialize};

/// An operation failed: a model call, a tool, the network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ErrorOccurred {
    /// Error message.
    pub error: String,
    /// Type of the error.
    #[serde(default, alias = "errorType")]
    pub error_type: ErrorType,
    /// The model in use.
    #[serde(default, alias = "currentModel")]
    pub current_model: Option<String>,
    /// Number of attempts so far, including this one.
    #[serde(default)]
    pub attempt: u32,
    /// Whether the host considers that another attempt may succeed.
    #[serde(default)]
    pub recoverable: bool,
}

impl ErrorOccurred {
    /// The first failure of this type.
    pub fn new(error: impl Into<String>, error_type: ErrorType) -> Self {
        Self { error: error.into(), error_type, attempt: 1, ..Self::default() }
    }
}

/// A child agent could not be created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SpawnFailed {
    /// Name of the agent that was to be created.
    #[serde(default, alias = "agentName")]
    pub agent_name: String,
    /// Error message.
    pub error: String,
    /// Type of the error.
    #[serde(default, alias = "errorType")]
    pub error_type: ErrorType,
    /// The model that the child was to use.
    #[serde(default, alias = "currentModel")]
    pub current_model: Option<String>,
    /// Number of attempts so far, including this one.
    #[serde(default)]
    pub attempt: u32,
    /// Whether the host considers that another attempt may succeed.
    #[serde(default)]
    pub recoverable: bool,
    /// Id of the child, the same as in its `subagent_start`.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

impl SpawnFailed {
    /// The first failure to create `agent`.
    pub fn new(agent: impl Into<String>, error: impl Into<String>) -> Self {
        Self { agent_name: agent.into(), error: error.into(), attempt: 1, ..Self::default() }
    }
}

/// Type of an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorType {
    /// The model or its provider.
    Model,
    /// A tool.
    Tool,
    /// The network.
    Network,
    /// A missing permission.
    Permission,
    /// The context grew too large.
    ContextOverflow,
    /// An unknown error.
    #[default]
    Unknown,
}
