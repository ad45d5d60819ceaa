//! The decisions of a team, as rules for tool calls.
//!
//! `decisions.md`, its archive and its inbox are read by [`Decisions`]. A decision with a `rule` block is exact; the
//! prose of others is read by a grammar, and prose that no call can break has no effect. Decisions that are
//! superseded, reversed, rejected or only proposed do not count. [`DecisionPolicy`] denies the calls that would bring
//! in what a decision forbids; the reason names the decision, its date and its author.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Policy};
//! use hooks_team_rules::decisions::{DecisionPolicy, Decisions};
//!
//! let decisions = Decisions::parse("### 2026-03-15: Dates\n**By:** Ada\n**What:** Use date-fns instead of moment.\n");
//! let policy = DecisionPolicy::new(&decisions, &Default::default());
//! let install = PreToolUse::new("bash", serde_json::json!({"command": "npm install moment"}));
//! let verdict = policy.judge(&HookRequest::new(HookContext::new("session-1", "backend").in_dir("/repo"), install));
//! assert_eq!(
//!     verdict.reasons()[0].for_agent(),
//!     "the call installs `moment`, which the decision \"Dates\" (2026-03-15, Ada) forbids; use `date-fns`"
//! );
//! ```
//!
//! Customised: a rule block, which is exact.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let text = "### 2026-03-16: Logging\n**By:** Ada\n\n```rule\ncalls: [console.log]\nin: [src/**]\nexcept: [src/cli/**]\n```\n";
//! let decisions = Decisions::parse(text);
//! let decision = &decisions.all()[0];
//! assert_eq!(decision.rules[0].calls, ["console.log"]);
//! assert!(decisions.mistakes().is_empty());
//! ```

mod blocks;
mod change;
mod config;
mod guard;
mod imports;
mod index;
mod ledger;
mod lex;
mod library;
mod manifest;
mod markup;
mod matcher;
mod names;
mod pattern;
mod policy;
mod prose;
mod rule;
mod scope;
mod tables;
mod team;
mod words;

pub use self::config::DecisionsConfig;
pub use self::ledger::{Decision, DecisionFiles, Decisions, Enforcement, Mistake};
pub use self::policy::{DecisionPolicy, DecisionPolicyLayer};
pub use self::rule::{DecisionRule, RuleError};
pub use self::team::TeamDecisions;

#[cfg(test)]
mod tests;
