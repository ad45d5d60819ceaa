//! Gates of ceremonies: while a design review is held, those who take part write no files.
//!
//! A person starts a ceremony with `hooks ceremony start NAME`, a host through [`HeldCeremonies`], and a tool of the host if
//! the gate names it in `started_by`. It ends when one of them ends it, or when its time is over. Agents can neither end it
//! nor change the file with the state. If that file cannot be read, everything that a ceremony closes by default is closed.
//!
//! By default, a ceremony closes tools that write files, and commands that write files or whose effect is not known. The
//! policy has no opinion on other calls. The cost is one read of a small file for each call that may be closed.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::CeremonyGates;
//! use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
//! use serde_json::json;
//!
//! let held = HeldCeremonies::new(CeremoniesConfig::default());
//! let gates = CeremonyGates::new(held.clone(), &CallReader::default())?;
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = |tool: &str, args| gates.judge(&HookRequest::new(context.clone(), PreToolUse::new(tool, args)));
//! let edit = || judge("edit", json!({"path": "src/main.rs"}));
//! assert_eq!(edit().strength(), Strength::NoOpinion);
//! held.start(&context, "Design Review", "the host")?;
//! assert_eq!(edit().reasons()[0].rule, "Design Review");
//! assert_eq!(judge("bash", json!({"command": "git log"})).strength(), Strength::NoOpinion);
//! assert_eq!(judge("bash", json!({"command": "git commit -am x"})).strength(), Strength::Deny);
//! held.end(&context, "design review")?;
//! assert_eq!(edit().strength(), Strength::NoOpinion);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: a retrospective of two agents closes the start of agents, after a tool of the host.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::event::{PostToolUse, PreToolUse};
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks, Judged};
//! use hooks_facts::calls::CallReader;
//! use hooks_team_rules::CeremonyGates;
//! use hooks_team_rules::ceremonies::{CeremoniesConfig, HeldCeremonies};
//! use serde_json::json;
//!
//! let config: CeremoniesConfig = serde_json::from_value(json!({"gates": {"Retrospective": {
//!     "closes": ["spawns"], "tools": ["deploy*"], "participants": ["lead", "tester"], "time": "20m",
//!     "started_by": ["open_retrospective"],
//! }}}))?;
//! let gates = Arc::new(CeremonyGates::new(HeldCeremonies::new(config), &CallReader::default())?);
//! let hooks = Hooks::builder().policy::<PreToolUse>(gates.clone()).observer::<PostToolUse>(gates).build();
//!
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # futures_util::future::FutureExt::now_or_never(async {
//! let context = |agent| HookContext::new("session-1", agent).in_dir("/repo").with_environment(environment.clone());
//! let call = async |agent, tool: &str| hooks.on(context(agent)).pre_tool_use(PreToolUse::new(tool, json!({}))).await.outcome;
//! assert!(!call("lead", "deploy_app").await.is_denied());
//! let opened = PostToolUse::after(&PreToolUse::new("open_retrospective", json!({})), json!("opened"), None, 5);
//! hooks.on(context("host")).post_tool_use(opened).await;
//! assert!(call("lead", "deploy_app").await.is_denied());
//! assert!(!call("backend", "deploy_app").await.is_denied()); // it does not take part
//! # }).expect("no hook waits");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod config;
mod effect;
mod gates;
mod held;
#[cfg(test)]
mod tests;

pub use self::config::{CeremoniesConfig, Closed, GateConfig};
pub use self::gates::{CeremonyGates, CeremonyGatesLayer};
pub use self::held::HeldCeremonies;
