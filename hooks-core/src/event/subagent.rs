//! Events of child agents.

use serde::{Deserialize, Serialize};

/// A child agent is about to be created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubagentStart {
    /// Name of the child agent; the context names the parent.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// Model that the child will use.
    #[serde(default)]
    pub model: Option<String>,
    /// Kind of task.
    #[serde(default, alias = "taskType")]
    pub task_type: Option<String>,
    /// Path of the charter.
    #[serde(default, alias = "charterPath")]
    pub charter_path: Option<String>,
    /// Task of the child.
    #[serde(default)]
    pub task: String,
    /// Number of generations below the session's own agent; its children have 1.
    #[serde(default)]
    pub depth: u32,
    /// Id of the child, the same in all events about it: the id of its own session, if it has one.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

impl SubagentStart {
    /// A child `agent` with the task `task`.
    pub fn new(agent: impl Into<String>, task: impl Into<String>) -> Self {
        Self { agent_name: agent.into(), task: task.into(), depth: 1, ..Self::default() }
    }

    pub(super) fn rewrite(&mut self, rewrite: SpawnRewrite) {
        if rewrite.model.is_some() {
            self.model = rewrite.model;
        }
        if let Some(task) = rewrite.task {
            self.task = task;
        }
    }
}

/// Change of a child before it is created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpawnRewrite {
    /// Another model.
    pub model: Option<String>,
    /// Another task text.
    pub task: Option<String>,
}

/// A child agent was created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubagentSpawned {
    /// Name of the child agent.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// Model that the child uses.
    #[serde(default)]
    pub model: Option<String>,
    /// Kind of task.
    #[serde(default, alias = "taskType")]
    pub task_type: Option<String>,
    /// Path of the charter.
    #[serde(default, alias = "charterPath")]
    pub charter_path: Option<String>,
    /// Task of the child.
    #[serde(default)]
    pub task: String,
    /// Number of generations below the session's own agent.
    #[serde(default)]
    pub depth: u32,
    /// Id of the child, the same in all events about it: the id of its own session, if it has one.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

impl SubagentSpawned {
    /// The child that `start` announced.
    pub fn from_start(start: &SubagentStart) -> Self {
        let SubagentStart { agent_name, model, task_type, charter_path, task, depth, child_id } =
            start.clone();
        Self { agent_name, model, task_type, charter_path, task, depth, child_id }
    }
}

/// A child agent ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubagentStop {
    /// Name of the child agent.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// Model that the child used.
    #[serde(default)]
    pub model: Option<String>,
    /// Lifetime of the child in milliseconds.
    #[serde(default, alias = "durationMs")]
    pub duration_ms: u64,
    /// Tokens that the child used.
    #[serde(default, alias = "tokensUsed")]
    pub tokens_used: u64,
    /// Number of tool calls that ran.
    #[serde(default, alias = "toolCallCount")]
    pub tool_call_count: u64,
    /// Result of the child.
    #[serde(default)]
    pub status: ChildStatus,
    /// Files that the child wrote.
    #[serde(default, alias = "filesModified")]
    pub files_modified: Vec<String>,
    /// Final answer of the child.
    #[serde(default)]
    pub response: Option<String>,
    /// Whether the child runs only because a hook denied its last stop. A guard that denies again loops.
    #[serde(default, alias = "stopHookActive", skip_serializing_if = "std::ops::Not::not")]
    pub stop_hook_active: bool,
    /// Id of the child, the same in all events about it: the id of its own session, if it has one.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

/// Result of a child agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChildStatus {
    /// The task was completed.
    #[default]
    Completed,
    /// An error occurred, or the child was dropped.
    Error,
    /// The time limit was reached.
    Timeout,
}
