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
///
/// A limit of a session counts the calls of all its agents, a limit of agents those of each agent in all its
/// sessions:
///
/// ```
/// use std::sync::Arc;
/// use hooks_budgets::{CallLevel, CallLimits, LimitWindow, limits::CallLimitConfig};
/// use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse, state::Memory, time::StoppedClock};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// for (level, other_agent, other_session) in [(CallLevel::Session, false, true), (CallLevel::Agent, true, false)] {
///     let limit = CallLimitConfig {
///         tools: Vec::new(),
///         spellings: Vec::new(),
///         agents: Vec::new(),
///         most: 1,
///         of: level,
///         per: LimitWindow::Always,
///     };
///     let store = Arc::new(Memory::new(Arc::new(StoppedClock::default())));
///     let hooks = Hooks::builder().reserve(CallLimits::new(&[limit], store)?).build();
///     let call = async |session: &str, agent: &str| {
///         let call = PreToolUse::new("fetch", ().into());
///         let mut decided = hooks.on(HookContext::new(session, agent)).pre_tool_use(call).await;
///         decided.commit();
///         decided.outcome.goes_ahead()
///     };
///     assert!(call("session-1", "backend").await);
///     assert_eq!(call("session-1", "tester").await, other_agent);
///     assert_eq!(call("session-2", "backend").await, other_session);
/// }
/// # Ok(())
/// # }
/// ```
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
///
/// Customised: one count for the session, which the user may reset once:
///
/// ```
/// use hooks_budgets::{BudgetsSettings, LimitsConfig};
/// use hooks_core::event::{BeforeModelCall, MaxIterations};
/// use hooks_core::{HookContext, Hooks, Judged};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let iterations = json!({"most": 0, "per": "session", "resumes": 1});
/// let limits: LimitsConfig = serde_json::from_value(json!({ "iterations": iterations }))?;
/// let hooks = Hooks::from_policy(BudgetsSettings { limits: Some(limits), ..BudgetsSettings::default() })?;
/// let at = hooks.on(HookContext::new("session-1", "backend"));
/// assert!(at.before_model_call(BeforeModelCall::new("large", 1, Vec::new())).await.outcome.is_denied());
///
/// assert!(at.max_iterations(MaxIterations::resumed(0)).await.outcome.goes_ahead());
/// let second = at.max_iterations(MaxIterations::resumed(0)).await.outcome;
/// assert_eq!(
///     second.shown_reason().expect("a denial has a reason").message,
///     "a person let this agent go on 1 of 1 times in this session",
/// );
/// # Ok(())
/// # }
/// ```
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
