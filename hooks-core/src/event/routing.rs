//! Work moves: a task to an agent, a conversation to another agent, a session to a working copy.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A task is about to be routed to an agent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Route {
    /// To whom.
    #[serde(alias = "targetAgent")]
    pub target_agent: String,
    /// What.
    pub task: String,
    /// How urgent.
    #[serde(default)]
    pub priority: Priority,
    /// What the target should know.
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

/// How urgent a task is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// When there is time.
    Low,
    /// In order.
    #[default]
    Normal,
    /// Before others.
    High,
    /// Now.
    Critical,
}

/// One agent handed over to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AgentSwitched {
    /// Who acted until now.
    pub from: String,
    /// Who acts from now on.
    pub to: String,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
}

impl AgentSwitched {
    /// A hand-over.
    pub fn new(from: impl Into<String>, to: impl Into<String>) -> Self {
        Self { from: from.into(), to: to.into(), reason: None }
    }
}

/// A working copy was made for a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WorktreeCreated {
    /// Where.
    pub path: PathBuf,
    /// On which branch.
    #[serde(default)]
    pub branch: Option<String>,
}

impl WorktreeCreated {
    /// A working copy at `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), branch: None }
    }
}
