//! Configuration of routes, as plain data.

use std::collections::BTreeMap;
use std::path::PathBuf;

use hooks_core::event::Priority;
use serde::{Deserialize, Serialize};

use crate::boundaries::Others;

/// Rules for tasks that are routed to agents.
///
/// ```
/// use hooks_team_rules::routing::RoutesConfig;
/// use serde_json::json;
///
/// let config: RoutesConfig = serde_json::from_value(json!({
///     "rules": [{"name": "releases", "words": ["release"], "requires": ["publishing"], "instead": ["lead"]}],
///     "agents": {"lead": {"capabilities": ["publishing"], "most": 2}},
/// }))?;
/// assert_eq!(config.agents["lead"].most, Some(2));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RoutesConfig {
    /// Folder of the team, relative to the folder of the session. Its charters have capabilities of agents.
    pub team: PathBuf,
    /// Rules. All that match apply; a denial is stronger than a permission.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RouteRuleConfig>,
    /// Capabilities and limits of agents.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, RouteAgentConfig>,
    /// Most open tasks of any agent that has no limit of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
    /// Priority from which tasks are routed to agents that have as many open tasks as they may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub urgent: Option<Priority>,
    /// Judgement on tasks that no rule allows.
    pub others: Others,
}

/// One rule. A task matches if all given conditions match.
///
/// ```
/// use hooks_core::event::Priority;
/// use hooks_team_rules::routing::{RouteAction, RouteRuleConfig};
/// use serde_json::json;
///
/// let rule: RouteRuleConfig = serde_json::from_value(json!({
///     "name": "urgent-to-the-lead", "to": ["intern*"], "at_least": "high", "instead": ["lead"],
/// }))?;
/// assert_eq!(rule.action, RouteAction::Deny);
/// assert_eq!(rule.at_least, Some(Priority::High));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RouteRuleConfig {
    /// Name of the rule in reasons.
    pub name: String,
    /// Judgement on tasks that match.
    pub action: RouteAction,
    /// Agents that route the task, without regard to case, `*` for any text. If empty, any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<String>,
    /// Agents that are to do the task, without regard to case, `*` for any text. If empty, any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// Words or phrases, of which the task has one, without regard to case. If empty, any task.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Lowest priority of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Priority>,
    /// Highest priority of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Priority>,
    /// Capabilities that the target needs. A rule that denies only denies targets without one of them; a rule that allows
    /// only allows targets with all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Agents that get the task in place of a denied target: the first that may have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
    /// Reason that the model and the user read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Judgement of a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RouteAction {
    /// Deny the task, or give it to another agent.
    #[default]
    Deny,
    /// Allow the task, unless another rule denies it.
    Allow,
}

/// Capabilities and limits of one agent.
///
/// ```
/// use hooks_team_rules::routing::RouteAgentConfig;
/// use serde_json::json;
///
/// let agent: RouteAgentConfig =
///     serde_json::from_value(json!({"capabilities": ["sql"], "most": 2, "instead": ["bob"]}))?;
/// assert_eq!(agent.most, Some(2));
/// assert_eq!(agent.instead, ["bob"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RouteAgentConfig {
    /// Capabilities of the agent, besides those in its charter: the list `capabilities` of its front matter, and its
    /// expertise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    /// Most open tasks of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<usize>,
    /// Agents that get a task in its place while it has as many as it may: the first that may have it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<String>,
}

impl Default for RoutesConfig {
    fn default() -> Self {
        Self {
            team: ".squad".into(),
            rules: Vec::new(),
            agents: BTreeMap::new(),
            most: None,
            urgent: None,
            others: Others::default(),
        }
    }
}

impl RoutesConfig {
    /// Returns whether open tasks are limited.
    ///
    /// ```
    /// use hooks_team_rules::routing::RoutesConfig;
    ///
    /// let config = RoutesConfig::default();
    /// assert!(!config.limits_load());
    /// assert!(RoutesConfig { most: Some(3), ..config }.limits_load());
    /// ```
    pub fn limits_load(&self) -> bool {
        self.most.is_some() || self.agents.values().any(|agent| agent.most.is_some())
    }
}
