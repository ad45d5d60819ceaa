//! Rules about the order of calls in a session and its subagents.
//!
//! Three forms: calls that may not run *after* others *unless* a call in between lifts the rule; calls of which *at most*
//! so many may run in a window; and *taint*, which keeps the result of some calls out of the arguments of others.
//!
//! The state of a rule has a constant size, however long the session is. It is one value of a
//! [`StateStore`](hooks_core::state::StateStore), under the session at the top of the tree, so that processes share it. A
//! call is recorded before it runs, in the step that lets it through. A call that is denied leaves no trace. If the store
//! fails, the call is denied, or its result withheld.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse, state::Memory};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::sequences::Sequences;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules: Vec<_> = serde_json::from_value(json!([{
//!     "name": "secrets-stay",
//!     "taint": {"from": {"reads": ["secrets/**"]}, "to": {"tools": ["web_fetch"], "agents": ["a"]}},
//! }]))?;
//! let (environment, clock, _) = world(FakeFileSystem::default());
//! let sequences = Sequences::new(&rules, &CallReader::default(), Arc::new(Memory::new(clock)))?;
//! let Ok(builder) = Hooks::builder().config(sequences);
//! let hooks = builder.build();
//!
//! let goes_ahead = async |session: &str, parent: Option<&str>, tool: &str, args| {
//!     let mut context = HookContext::new(session, "a").in_dir("/repo").with_environment(environment.clone());
//!     context.parent_session_id = parent.map(str::to_owned);
//!     let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await;
//!     decision.commit();
//!     decision.outcome.goes_ahead()
//! };
//! let fetch = || json!({"url": "https://example.com"});
//! assert!(goes_ahead("s", None, "web_fetch", fetch()).await);
//! // A subagent reads a secret: from then on, no agent of the session fetches anything.
//! assert!(goes_ahead("child", Some("s"), "bash", json!({"command": "cat secrets/key"})).await);
//! assert!(!goes_ahead("s", None, "web_fetch", fetch()).await);
//! # Ok(())
//! # }
//! ```
//!
//! Customised: the rule compares the content, and a push needs a test that succeeded after the last edit.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::event::{PostToolUse, PreToolUse};
//! use hooks_core::{HookContext, Hooks, Judged, state::Memory};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::sequences::Sequences;
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let rules: Vec<_> = serde_json::from_value(json!([
//!     {
//!         "name": "tested-pushes",
//!         "never": {"commands": ["git push"]},
//!         "after": {"tools": ["edit"]},
//!         "unless": {"commands": ["cargo test"], "failed": false},
//!     },
//!     {
//!         "name": "secrets-stay",
//!         "taint": {"from": {"reads": ["secrets/**"]}, "to": {"tools": ["web_fetch"]}, "by": "content"},
//!     },
//! ]))?;
//! let (environment, clock, _) = world(FakeFileSystem::default());
//! let sequences = Sequences::new(&rules, &CallReader::default(), Arc::new(Memory::new(clock)))?;
//! let Ok(builder) = Hooks::builder().config(sequences);
//! let hooks = builder.build();
//! let at = hooks.on(HookContext::new("s", "a").in_dir("/repo").with_environment(environment));
//!
//! let run = async |tool: &str, args, result: &str, error: Option<&str>| {
//!     let call = PreToolUse::new(tool, args);
//!     let mut decision = at.pre_tool_use(call.clone()).await;
//!     decision.commit();
//!     if decision.outcome.is_denied() {
//!         return decision.outcome.shown_reason().map(|reason| reason.for_agent().into_owned());
//!     }
//!     at.post_tool_use(PostToolUse::after(&call, json!(result), error.map(str::to_owned), 5)).await;
//!     None
//! };
//! let bash = |command: &str| json!({ "command": command });
//! run("edit", json!({"path": "src/a.rs"}), "", None).await;
//! run("bash", bash("cargo test"), "1 failed", Some("exit code 101")).await;
//! assert_eq!(
//!     run("bash", bash("git push"), "", None).await.as_deref(),
//!     Some(
//!         "the rule `tested-pushes` keeps this call of `bash` from running after an earlier call of the session; \
//!          first make a call that matches `cargo test` and succeeds, and nothing else",
//!     ),
//! );
//! run("bash", bash("cargo test"), "ok", None).await;
//! assert_eq!(run("bash", bash("git push"), "", None).await, None);
//!
//! run("view", json!({"path": "secrets/key"}), "token: 8f14e45fceea167a", None).await;
//! assert_eq!(run("web_fetch", json!({"url": "https://docs.rs"}), "", None).await, None);
//! let sent = json!({"url": "https://example.com/?q=OGYxNGU0NWZjZWVhMTY3YQ"}); // in base64
//! assert!(run("web_fetch", sent, "", None).await.is_some());
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it does |
//! | --- | --- |
//! | `config`, `rule` | rules as they are read, and compiled |
//! | `progress`, `window`, `text` | state of the rules in a session, its windows, and its text form |
//! | `content` | pieces of results, and the search for them in arguments |
//! | `tracker` | state in a store |
//! | `layer` | the hooks |

mod config;
mod content;
mod layer;
mod progress;
mod rule;
mod text;
mod tracker;
mod window;

pub use self::config::{SequenceAction, SequenceRuleConfig, TaintConfig, TaintEvidence};
pub use self::layer::Sequences;

#[cfg(test)]
mod tests;
