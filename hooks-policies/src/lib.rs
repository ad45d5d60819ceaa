//! Policies that judge a tool call by what it would do: which files an agent may write, and which commands it
//! may run.
//!
//! Each works alone, as a [`Policy`](hooks_core::Policy) and as a layer. [`Guards`] builds all of them from one
//! configuration. None of them waits, counts or does I/O.
//!
//! | module | what it does |
//! | --- | --- |
//! | [`config`], [`guards`] | configuration, and policies built from it |
//! | [`write_guard`], [`protected`] | deny writes to files |
//! | [`read_guard`] | denies reading files |
//! | [`prompt_files`] | denies prompts that name such a file |
//! | [`own_state`] | keeps commands from the hooks' own state |
//! | [`command_guard`] | denies blocked commands |
//! | [`lockout`] | keeps agents away from artifacts that they are locked out of |
//! | [`rules`] | custom rules, indexed |
//! | [`packs`] | named sets of rules, with a severity |
//! | [`squad`], [`profile`] | Squad's pipeline unchanged, as a library and as hooks |
//!
//! In front of the tools of an agent, a denied call never reaches its tool, and the model reads the reason:
//!
//! ```
//! use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest};
//! use hooks_core::testing::{ScriptedTools, VirtualTime};
//! use hooks_core::{Govern, HookContext, Hooks};
//! use hooks_policies::CommandGuard;
//! use serde_json::json;
//! use tower_service::Service;
//!
//! let guard = CommandGuard::new(&Default::default(), &Default::default())?;
//! let tools = ScriptedTools::default();
//! let mut governed = Govern::new(Hooks::builder().policy(guard).build(), tools.clone());
//! # VirtualTime::default().block_on(async {
//! let call = ToolCall::new("bash", json!({"command": "git push -f origin main"}));
//! let context = HookContext::new("session-1", "backend").into();
//! let ToolOutcome::Denied(reason) = governed.call(ToolRequest { context, call }).await?.outcome else {
//!     panic!("the command is blocked by default");
//! };
//! assert!(reason.contains("`git push -f origin main` is blocked as `git push --force`"));
//! assert!(tools.calls().is_empty());
//! # Ok::<(), hooks_core::HookError>(())
//! # }).expect("no hook waits")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Customised: several guards from one configuration, as a set. A file outside of the list is denied, a harmless command
//! is not:
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged};
//! use hooks_policies::Guards;
//! use hooks_policies::config::{CommandGuardConfig, GuardsSettings, WriteGuardConfig};
//! use serde_json::json;
//!
//! let hooks = Hooks::from_policy(Guards::new(GuardsSettings {
//!     write_guard: Some(WriteGuardConfig { allow: vec!["src/**".into()], ..WriteGuardConfig::default() }),
//!     command_guard: Some(CommandGuardConfig { block: vec!["git push".into()], ..CommandGuardConfig::default() }),
//!     ..GuardsSettings::default()
//! }))?;
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let is_denied = |tool: &str, arguments| {
//!     let request = HookRequest::new(context.clone(), PreToolUse::new(tool, arguments));
//!     hooks.judge_pre_tool_use(&request).is_denied()
//! };
//! assert!(is_denied("edit", json!({"path": "docs/a.md"})));
//! assert!(is_denied("bash", json!({"command": "git push origin main"})));
//! assert!(!is_denied("bash", json!({"command": "git status"})));
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```

mod artifacts;
pub mod command_guard;
pub mod config;
pub mod egress;
pub mod guards;
pub mod lockout;
mod other_names;
pub mod own_state;
pub mod packs;
pub mod profile;
pub mod prompt_files;
pub mod protected;
pub mod read_guard;
pub mod rules;
pub mod squad;
#[cfg(test)]
mod testing;
pub mod write_guard;

pub use self::command_guard::{CommandGuard, CommandGuardLayer};
pub use self::egress::{EgressGuard, EgressGuardLayer};
pub use self::guards::Guards;
pub use self::lockout::{
    ArtifactError, Cleared, LockedOut, Lockout, LockoutError, LockoutRegistry, RefreshLockouts,
    RefreshLockoutsLayer, ReviewerLockout, ReviewerLockoutLayer, StoredLockouts, artifact_name,
    is_same_artifact,
};
pub use self::own_state::{OwnState, OwnStateLayer};
pub use self::packs::{Packs, PacksLayer};
pub use self::prompt_files::{PromptFiles, PromptFilesLayer};
pub use self::protected::{ProtectedFiles, ProtectedFilesLayer};
pub use self::read_guard::{ReadGuard, ReadGuardLayer};
pub use self::rules::{Rules, RulesLayer};
pub use self::write_guard::{WriteGuard, WriteGuardLayer};
