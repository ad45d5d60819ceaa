//! What the limits are configured by: plain data.

use serde::{Deserialize, Serialize};

use crate::window::LimitWindow;

/// How often tools and models may be called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// How often tools may be called. All limits that a call falls under have to have room for it.
    pub calls: Vec<CallLimitConfig>,
    /// When an agent goes round in circles.
    pub loops: Option<LoopLimitConfig>,
    /// How often an agent may call its model.
    pub iterations: Option<IterationLimitConfig>,
}

/// How often tools may be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CallLimitConfig {
    /// Tools, by name, without regard to case; `mcp__*` with a star at the end. All tools where absent.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What else these tools are called. Calls by such a name count in the counter of `tools`, so that the clients of a
    /// team, each with names of its own, share one.
    #[serde(skip)]
    pub spellings: Vec<String>,
    /// Agents, by name, without regard to case; all agents where absent.
    #[serde(default)]
    pub agents: Vec<String>,
    /// How many calls; 0 means none.
    pub most: u64,
    /// Whose calls are counted together.
    pub of: CallLevel,
    /// When the counter begins anew.
    pub per: LimitWindow,
}

/// Whose calls are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallLevel {
    /// Those of all agents of a tenant.
    Team,
    /// Those of each agent.
    Agent,
    /// Those of all agents of a session; one that it starts has its own.
    Session,
    /// Those of all agents of a session and of all sessions below it.
    Tree,
}

/// When an agent goes round in circles: the same calls with the same arguments and the same results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LoopLimitConfig {
    /// After so many rounds the next one is stopped.
    pub rounds: u64,
    /// How many calls a round has at most.
    pub longest: u64,
    /// What becomes of the call that would begin the next round.
    pub action: LoopAction,
}

impl Default for LoopLimitConfig {
    fn default() -> Self {
        Self { rounds: 3, longest: 4, action: LoopAction::Deny }
    }
}

/// What becomes of a call that would go round again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoopAction {
    /// It must not happen.
    #[default]
    Deny,
    /// A person decides.
    Ask,
}

/// How often an agent may call its model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IterationLimitConfig {
    /// How many calls; 0 means none.
    pub most: u64,
    /// When the agent begins anew.
    #[serde(default)]
    pub per: IterationSpan,
    /// How often in a session a person may let the agent go on with as many calls again; any number where absent.
    #[serde(default)]
    pub resumes: Option<u64>,
}

/// When an agent begins anew to count its iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IterationSpan {
    /// With each message of the user; a child agent with its start.
    #[default]
    Prompt,
    /// With each session.
    Session,
}
