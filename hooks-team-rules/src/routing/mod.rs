//! Rules about routes: the tasks that an agent may give to another one.
//!
//! A rule is about the agents that route, the targets, words of the task and its priority. It denies the task, requires
//! capabilities of the target, or allows the task where others are denied. A denied target can be replaced by another agent.
//! A limit on open tasks denies a target that has as many as it may, or replaces it.
//!
//! The target is changed before the task is judged; then the rules judge the agent that really gets it. Capabilities are those
//! of the configuration, and with a team those of the charter: the list `capabilities` in its front matter, its expertise, and
//! the role in `team.md`. Files that cannot be read give none.
//!
//! The same rules judge calls of the tool `squad_route`, for clients that report no routes.
//!
//! ```
//! use hooks_core::event::Route;
//! use hooks_core::{HookContext, HookRequest, Policy, Strength};
//! use hooks_team_rules::RouteRules;
//! use hooks_team_rules::routing::RoutesConfig;
//! use serde_json::json;
//!
//! let config: RoutesConfig = serde_json::from_value(json!({
//!     "rules": [{"name": "only-the-lead", "from": ["intern*"], "to": ["release*"]}],
//! }))?;
//! let rules = RouteRules::new(&config)?;
//! let route = |from: &str| HookRequest::new(HookContext::new("session-1", from), Route::new("releaser", "ship it"));
//! assert_eq!(rules.judge(&route("lead")).strength(), Strength::NoOpinion);
//! assert_eq!(
//!     rules.judge(&route("Intern 2")).reasons()[0].for_agent(),
//!     "`Intern 2` may not route this task to `releaser` by the rule `only-the-lead`; choose another agent, or do it yourself",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: a task goes to an agent that has the capability, and to the next one while that has enough to do.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::event::Route;
//! use hooks_core::{BoxError, HookContext, HookFuture, Hooks, Judged};
//! use hooks_team_rules::RouteRules;
//! use hooks_team_rules::routing::{OpenTasks, RoutesConfig, Routing};
//! use serde_json::json;
//!
//! /// Two open tasks of one agent.
//! struct Busy;
//!
//! impl OpenTasks for Busy {
//!     fn agents(&self, _: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
//!         HookFuture::now(Ok(vec!["ada".to_owned(), "ada".to_owned()]))
//!     }
//! }
//!
//! let config: RoutesConfig = serde_json::from_value(json!({
//!     "rules": [{"name": "databases", "words": ["sql", "migration"], "requires": ["sql"], "instead": ["ada"]}],
//!     "agents": {
//!         "ada": {"capabilities": ["SQL"], "most": 2, "instead": ["bob"]},
//!         "bob": {"capabilities": ["SQL"]},
//!     },
//!     "urgent": "critical",
//! }))?;
//! let hooks = Routing::new(RouteRules::new(&config)?).counting(Arc::new(Busy)).add_to(Hooks::builder()).build();
//! # futures_util::future::FutureExt::now_or_never(async {
//! let route = async |task: &str| {
//!     let decided = hooks.on(HookContext::new("session-1", "lead")).route(Route::new("designer", task)).await;
//!     decided.request.event().target_agent.clone()
//! };
//! assert_eq!(route("draw a logo").await, "designer");
//! assert_eq!(route("write the migration").await, "bob"); // the designer knows no SQL, and Ada has enough to do
//! # }).expect("no hook waits");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
mod load;
mod rule;
mod rules;
#[cfg(test)]
mod tests;
mod tool_call;

pub use self::config::{RouteAction, RouteAgentConfig, RouteRuleConfig, RoutesConfig};
pub use self::load::{OpenTasks, Routing, RoutingLayer};
pub use self::rules::{RouteRules, RouteRulesLayer};
pub(crate) use self::tool_call::is_route_tool;

/// Name of the policy in reasons.
const NAME: &str = "routes";
