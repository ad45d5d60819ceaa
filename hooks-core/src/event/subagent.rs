//! Child agents.

use serde::{Deserialize, Serialize};

/// A child agent is about to be created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubagentStart {
    /// Which agent; the context names the parent.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// The model it will use.
    #[serde(default)]
    pub model: Option<String>,
    /// The kind of task.
    #[serde(default, alias = "taskType")]
    pub task_type: Option<String>,
    /// Where its charter is.
    #[serde(default, alias = "charterPath")]
    pub charter_path: Option<String>,
    /// What it is to do.
    #[serde(default)]
    pub task: String,
    /// How many generations below the session's own agent; its children have 1.
    #[serde(default)]
    pub depth: u32,
    /// Which child: the same in all events about it. Its own session, where it has one.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

impl SubagentStart {
    /// A child `agent` that is to do `task`.
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

/// What may be changed about a child before it is created.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpawnRewrite {
    /// Another model.
    pub model: Option<String>,
    /// Another task text.
    pub task: Option<String>,
}

/// A child agent exists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SubagentSpawned {
    /// Which agent.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// The model it uses.
    #[serde(default)]
    pub model: Option<String>,
    /// The kind of task.
    #[serde(default, alias = "taskType")]
    pub task_type: Option<String>,
    /// Where its charter is.
    #[serde(default, alias = "charterPath")]
    pub charter_path: Option<String>,
    /// What it is to do.
    #[serde(default)]
    pub task: String,
    /// How many generations below the session's own agent.
    #[serde(default)]
    pub depth: u32,
    /// Which child: the same in all events about it. Its own session, where it has one.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

impl SubagentSpawned {
    /// The child that `start` asked for.
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
    /// Which agent.
    #[serde(alias = "agentName")]
    pub agent_name: String,
    /// The model it used.
    #[serde(default)]
    pub model: Option<String>,
    /// How long it lived, in milliseconds.
    #[serde(default, alias = "durationMs")]
    pub duration_ms: u64,
    /// Tokens it used.
    #[serde(default, alias = "tokensUsed")]
    pub tokens_used: u64,
    /// Tool calls that ran.
    #[serde(default, alias = "toolCallCount")]
    pub tool_call_count: u64,
    /// How it ended.
    #[serde(default)]
    pub status: ChildStatus,
    /// Files it wrote.
    #[serde(default, alias = "filesModified")]
    pub files_modified: Vec<String>,
    /// What it answered.
    #[serde(default)]
    pub response: Option<String>,
    /// Which child: the same in all events about it. Its own session, where it has one.
    #[serde(default, alias = "childId", skip_serializing_if = "Option::is_none")]
    pub child_id: Option<String>,
}

/// How a child agent ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChildStatus {
    /// It was done.
    #[default]
    Completed,
    /// Something failed, or it was dropped.
    Error,
    /// Its time was up.
    Timeout,
}
