//! Custom rules: agents, tools, files and commands that are allowed, denied or asked about.
//!
//! A rule matches if all its conditions match: its tools, its agents, one of the call's paths, one of its
//! commands. Of the rules that match, the strongest action applies (deny, ask, allow), whatever their order;
//! the reason names the first of them. A path or command that cannot be known matches a rule that denies or
//! asks, and no rule that allows. A rule that allows has to cover every path and every program of the call.
//!
//! Further conditions are compared rule by rule: patterns of tools, arguments, and the content that a call writes. A rule
//! with `results` judges results in place of calls.
//!
//! Rules are found by tool, by agent and by the folders at the start of their paths. The cost of a decision
//! therefore does not grow with the number of rules that cannot match. A rule may carry examples, which are
//! checked when it is built.
//!
//! ```
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_policies::config::RuleConfig;
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::Rules;
//! use serde_json::json;
//!
//! let rule = RuleConfig {
//!     name: "no-publish".into(),
//!     commands: vec!["npm publish".into()],
//!     agents: vec!["Backend".into()],
//!     ..RuleConfig::default()
//! };
//! let rules = Rules::new(&[rule], &CallReader::default())?;
//! let event = PreToolUse::new("bash", json!({"command": "npm --silent publish"}));
//! let request = HookRequest::new(HookContext::new("s", "backend"), event);
//! assert_eq!(rules.judge(&request).strength(), Strength::Deny);
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: the strongest action applies, whatever the order of the rules, and the model reads the reason of
//! the rule.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::Rules;
//! use hooks_policies::config::RuleConfig;
//! use serde_json::json;
//!
//! let rules: Vec<RuleConfig> = serde_json::from_value(json!([
//!     {"name": "docs-are-free", "action": "allow", "tools": ["edit", "create"], "paths": ["docs/**"]},
//!     {"name": "ask-in-prod", "action": "ask", "tools": ["mcp__prod*"]},
//!     {"name": "no-adr", "paths": ["docs/decisions/**"], "reason": "decisions are written by people"},
//! ]))?;
//! let rules = Rules::new(&rules, &CallReader::default())?;
//!
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| rules.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! assert_eq!(judge("edit", json!({"path": "docs/use.md"})).strength(), Strength::Allow);
//! assert_eq!(judge("mcp__prod__restart", json!({})).strength(), Strength::Ask);
//! let denied = judge("edit", json!({"path": "docs/decisions/0001.md"}));
//! assert_eq!(denied.reasons()[0].message, "decisions are written by people");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arguments;
mod changes;
mod examples;
mod further;
mod index;
mod policy;
mod results;
mod rule;

pub use self::arguments::ArgumentCondition;
pub use self::changes::{ChangeCondition, ConditionMatch, ReadChanges};
pub(crate) use self::examples::request_of as example_request;
pub use self::policy::{Rules, RulesLayer};
pub use self::results::ResultRules;

#[cfg(test)]
mod tests;
