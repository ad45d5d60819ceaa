//! Rego policies that judge tool calls.
//!
//! A [`RegoPolicy`] is a module in [Rego](https://www.openpolicyagent.org/docs/policy-language), the language of OPA. The engine
//! `regorus` evaluates it before each call. Three rules of its package count, each if the package has it:
//!
//! | rule | verdict |
//! | --- | --- |
//! | `deny contains msg` | deny, with each message as a reason; also `deny` as `true`, and messages `{"msg": …, "rule": …}` |
//! | `ask contains msg` | the user is asked; the same forms |
//! | `allow` | `true` allows, `false` denies; undefined is no opinion |
//!
//! The strongest counts. If none of them has a value, there is no opinion. An error while a rule runs is a denial, and so are errors
//! of builtins, which OPA passes over, and values of other types.
//!
//! `input` is the event as `hooks eval` reads it: `input.event`, `input.tool_name`, `input.tool_args`, and the context in `input.at`.
//! `input.facts` has what is known about the call: `writes`, `reads` and `runs`, as in
//! [`PlainFacts`](hooks_facts::calls::PlainFacts). `input.facts.unknown` is the list of those that are not known in full, and missing.
//! In Rego a rule about something missing has no value, so it would not deny. Therefore a call is denied if the module
//! mentions a list that is not known; a module that mentions `unknown` decides that itself.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength};
//! use hooks_facts::calls::CallReader;
//! use hooks_rego::{RegoConfig, RegoPolicy};
//! use serde_json::json;
//!
//! let text = r#"
//! package hooks
//!
//! deny contains msg if {
//!     some path in input.facts.writes
//!     startswith(path, "migrations/")
//!     input.at.agent_name != "dba"
//!     msg := sprintf("`%s` belongs to the DBA", [path])
//! }
//! "#;
//! let policy = RegoPolicy::new(&RegoConfig::new("tools.rego", text), &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let judge = |agent: &str, command: &str| {
//!     let context = HookContext::new("session-1", agent).in_dir("/repo").with_environment(environment.clone());
//!     policy.judge(&HookRequest::new(context, PreToolUse::new("bash", json!({ "command": command }))))
//! };
//! let denied = judge("backend", "cd migrations && echo > 1.sql");
//! assert_eq!(denied.reasons()[0].message, "`migrations/1.sql` belongs to the DBA");
//! assert_eq!(judge("dba", "echo > migrations/1.sql").strength(), Strength::NoOpinion);
//! assert_eq!(judge("backend", "cat migrations/1.sql").strength(), Strength::NoOpinion);
//! assert_eq!(judge("backend", "echo > $TARGET").strength(), Strength::Deny); // not known before it runs
//! # Ok::<(), hooks_rego::RegoError>(())
//! ```
//!
//! A rule may run 100,000 instructions; more are a denial. The work of a single builtin, such as a regular expression over a long text or
//! `numbers.range`, is not bounded by that. The builtins are those of OPA that are pure, with `regex` and `glob`; those with a
//! clock, randomness, a network or the environment are not known here. `with` is not supported.

mod config;
mod error;
mod input;
mod policy;
mod text;

pub use self::config::RegoConfig;
pub use self::error::RegoError;
pub use self::policy::{RegoLayer, RegoPolicy};

#[cfg(test)]
mod tests;
