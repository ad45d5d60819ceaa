//! Rules of one's own: who may call what, on which files, with which commands.
//!
//! Everything that a rule gives has to match: its tools, its agents, one of the call's paths, one of its commands.
//! The strongest action of the rules that match holds (deny, ask, allow), whatever their order; the first of them
//! is named. What cannot be known matches a rule that denies or asks, and none that allows; a rule that allows has
//! to cover every path and every program of the call.
//!
//! Rules are found by tool, agent and the folders that their paths begin with, so what a decision costs does not
//! grow with the number of rules that say something else. A rule may carry examples, checked when it is built.
//!
//! ```
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_policies::config::RuleConfig;
//! use hooks_policies::{CallReader, Rules};
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
//! # Ok::<(), hooks_policies::PolicyErrors>(())
//! ```

mod examples;
mod index;
mod policy;
mod rule;

pub use self::policy::{Rules, RulesLayer};

#[cfg(test)]
mod tests;
