//! Custom rules: agents, tools, files and commands that are allowed, denied or asked about.
//!
//! A rule matches if all its conditions match: its tools, its agents, one of the call's paths, one of its
//! commands. Of the rules that match, the strongest action applies (deny, ask, allow), whatever their order;
//! the reason names the first of them. A path or command that cannot be known matches a rule that denies or
//! asks, and no rule that allows. A rule that allows has to cover every path and every program of the call.
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

mod examples;
mod index;
mod policy;
mod rule;

pub use self::policy::{Rules, RulesLayer};

#[cfg(test)]
mod tests;
