//! Events in which work moves: a task to an agent, a conversation to another agent, a session to a working
//! copy.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A task is about to be routed to an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Route {
    /// Agent that is to do the task.
    #[serde(alias = "targetAgent")]
    pub target_agent: String,
    /// Text of the task.
    pub task: String,
    /// Urgency of the task.
    #[serde(default)]
    pub priority: Priority,
    /// Background information for the target agent.
    #[serde(default)]
    pub context: Option<String>,
}

impl Route {
    /// `task` for `target`, at normal priority.
    pub fn new(target: impl Into<String>, task: impl Into<String>) -> Self {
        Self { target_agent: target.into(), task: task.into(), ..Self::default() }
    }

    pub(super) fn rewrite(&mut self, target: String) {
        self.target_agent = target;
    }
}

/// Urgency of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// To be done when there is time.
    Low,
    /// To be done in order.
    #[default]
    Normal,
    /// To be done before others.
    High,
    /// To be done immediately.
    Critical,
}

/// One agent handed over to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentSwitched {
    /// Agent that acted until now.
    pub from: String,
    /// Agent that acts from now on.
    pub to: String,
    /// Reason for the hand-over.
    #[serde(default)]
    pub reason: Option<String>,
}

impl AgentSwitched {
    /// A hand-over without a reason.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into(), reason: None }
    }
}

/// A working copy was created for a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WorktreeCreated {
    /// Path of the working copy.
    pub path: PathBuf,
    /// Branch of the working copy.
    #[serde(default)]
    pub branch: Option<String>,
}

impl WorktreeCreated {
    /// A working copy at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), branch: None }
    }
}
