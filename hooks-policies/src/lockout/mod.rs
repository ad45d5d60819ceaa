//! Keeps agents away from artifacts that they are locked out of: a reviewer rejected their work, and another
//! agent has to redo it.
//!
//! A [`LockoutRegistry`] holds the lockouts: agent, artifact, reviewer, reason and time. It is shared and may
//! change while hooks run. [`ReviewerLockout`] enforces it on every file that a call changes. An artifact is
//! a file, a folder with everything below it, or a glob. Paths are resolved before they are compared; names
//! of files and agents are compared without regard to case. If an agent is locked out of any artifact, a path
//! that cannot be resolved is denied to it. If all agents of the team are locked out of an artifact, the user
//! is asked.
//!
//! The registry is in memory. [`StoredLockouts`] keeps lockouts in a store, where they outlive their process
//! and apply to all processes that share it. [`RefreshLockouts`] mirrors them in the registry before each
//! call that writes.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks, HooksProvider, HookRequest, Judged, event::PreToolUse};
//! use hooks_policies::config::{GuardsSettings, LockoutConfig};
//! use hooks_policies::{Lockout, LockoutRegistry};
//! use serde_json::json;
//!
//! let reviewer_lockout = Some(LockoutConfig::default());
//! let hooks = Hooks::from_policy(GuardsSettings { reviewer_lockout, ..GuardsSettings::default() })?;
//! let lockout = Lockout::new("src/auth.rs", "Backend").by("Reviewer").because("no tests");
//! hooks.extension::<LockoutRegistry>().unwrap().lock(lockout);
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("s", "backend").in_dir("/repo").with_environment(environment);
//! let request = HookRequest::new(context, PreToolUse::new("edit", json!({"path": "src/x/../auth.rs"})));
//! assert!(hooks.judge_pre_tool_use(&request).is_denied());
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: if the whole team is locked out of a file, the user is asked.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, HookRequest, Policy, Strength, event::PreToolUse};
//! use hooks_facts::calls::CallReader;
//! use hooks_policies::config::LockoutConfig;
//! use hooks_policies::{Lockout, LockoutRegistry, ReviewerLockout};
//! use serde_json::json;
//!
//! let config = LockoutConfig {
//!     locked: [("src/auth.rs".to_owned(), vec!["backend".to_owned()])].into(),
//!     team: vec!["backend".into(), "frontend".into()],
//!     ..LockoutConfig::default()
//! };
//! let registry = Arc::new(LockoutRegistry::default());
//! let lockout = ReviewerLockout::new(&config, Arc::clone(&registry), &CallReader::default());
//! # let (environment, ..) = world(FakeFileSystem::default());
//! # let context = HookContext::new("session-1", "backend").in_dir("/repo").with_environment(environment);
//! let judge = || {
//!     let event = PreToolUse::new("edit", json!({"path": "src/auth.rs"}));
//!     lockout.judge(&HookRequest::new(context.clone(), event))
//! };
//! assert_eq!(
//!     judge().reasons()[0].for_agent(),
//!     "`src/auth.rs` belongs to `src/auth.rs`, which `backend` is locked out of by `configuration`; \
//!      have another agent write it",
//! );
//! registry.lock(Lockout::new("src/*.rs", "frontend"));
//! assert_eq!(judge().strength(), Strength::Ask);
//! ```

mod artifact;
mod policy;
mod refresh;
mod registry;
mod stored;

pub use self::artifact::{ArtifactError, artifact_name, is_same_artifact};
pub use self::policy::{ReviewerLockout, ReviewerLockoutLayer};
pub use self::refresh::{RefreshLockouts, RefreshLockoutsLayer};
pub use self::registry::{LockedOut, Lockout, LockoutRegistry};
pub use self::stored::{Cleared, LockoutError, StoredLockouts};

#[cfg(test)]
mod tests;
