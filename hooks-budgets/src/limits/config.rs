//! Configuration of the limits: plain data.

use serde::{Deserialize, Serialize};

use crate::window::LimitWindow;

/// Limits on calls of tools and models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LimitsConfig {
    /// Limits on tool calls. A call goes ahead only if all limits that apply to it have room.
    pub calls: Vec<CallLimitConfig>,
    /// Detection of agents that repeat the same calls.
    pub loops: Option<LoopLimitConfig>,
    /// Limit on an agent's calls of its model.
    pub iterations: Option<IterationLimitConfig>,
}

/// Limit on tool calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct CallLimitConfig {
    /// Names of tools, without regard to case; `mcp__*` with a star at the end is a prefix. If missing, all
    /// tools.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Other names of the same tools. Calls by these names count in the counter of `tools`, so that the
    /// clients of a team share one counter although their tools have different names.
    #[serde(skip)]
    pub spellings: Vec<String>,
    /// Names of agents, without regard to case; if missing, all agents.
    #[serde(default)]
    pub agents: Vec<String>,
    /// Most calls; with 0, no call is allowed.
    pub most: u64,
    /// Agents and sessions whose calls are counted together.
    pub of: CallLevel,
    /// Time at which the counter starts anew.
    pub per: LimitWindow,
}

/// Agents and sessions whose calls are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CallLevel {
    /// All agents of a tenant.
    Team,
    /// Each agent alone.
    Agent,
    /// All agents of a session; a child session has its own counter.
    Session,
    /// All agents of a session and of all sessions below it.
    Tree,
}

/// Detection of an agent that repeats the same calls with the same arguments and the same results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct LoopLimitConfig {
    /// Rounds after which the next one is stopped.
    pub rounds: u64,
    /// Most calls in a round.
    pub longest: u64,
    /// Judgement on the call that would start the next round.
    pub action: LoopAction,
}

impl Default for LoopLimitConfig {
    fn default() -> Self {
        Self { rounds: 3, longest: 4, action: LoopAction::Deny }
    }
}

/// Judgement on a call that would start another round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoopAction {
    /// Deny the call.
    #[default]
    Deny,
    /// Ask the user.
    Ask,
}

/// Limit on an agent's calls of its model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct IterationLimitConfig {
    /// Most calls; with 0, no call is allowed.
    pub most: u64,
    /// Time at which the count starts anew.
    #[serde(default)]
    pub per: IterationSpan,
    /// Number of times in a session that the user may let the agent continue with the same number of calls;
    /// if missing, unlimited.
    #[serde(default)]
    pub resumes: Option<u64>,
}

/// Time at which an agent's count of iterations starts anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IterationSpan {
    /// With each message of the user; for a child agent, with its start.
    #[default]
    Prompt,
    /// With each session.
    Session,
}
