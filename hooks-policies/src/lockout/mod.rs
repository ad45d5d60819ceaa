//! Keeps agents away from artifacts they are locked out of: a reviewer turned their work down, and another agent
//! has to do it over.
//!
//! A [`LockoutRegistry`] says who is locked out of what, by whom, why and since when; it is shared and changes while
//! hooks run, [`ReviewerLockout`] enforces it on every file that a call changes. An artifact is a file, a folder
//! with all below it, or a glob; paths are resolved before they are compared, and neither the names of files nor
//! those of agents have case. A path that cannot be resolved is refused to an agent that is locked out of anything.
//! Where everyone in the team is locked out, a person is asked.
//!
//! The registry is in memory. [`StoredLockouts`] keeps lockouts in a store, where they outlive their process and bind
//! everybody on it; [`RefreshLockouts`] mirrors them in the registry before each call that writes.
//!
//! ```
//! use hooks_core::testing::{FakeFileSystem, world};
//! use hooks_core::{HookContext, Hooks, HooksProvider, HookRequest, Judged, event::PreToolUse};
//! use hooks_policies::config::{LockoutConfig, PolicyConfig};
//! use hooks_policies::{Lockout, PolicyHooks};
//! use serde_json::json;
//!
//! let reviewer_lockout = Some(LockoutConfig::default());
//! let hooks = Hooks::from_policy(PolicyConfig { reviewer_lockout, ..PolicyConfig::default() })?;
//! let lockout = Lockout::new("src/auth.rs", "Backend").by("Reviewer").because("no tests");
//! hooks.lockouts().unwrap().lock(lockout);
//!
//! let (environment, ..) = world(FakeFileSystem::default());
//! let context = HookContext::new("s", "backend").in_dir("/repo").with_environment(environment);
//! let request = HookRequest::new(context, PreToolUse::new("edit", json!({"path": "src/x/../auth.rs"})));
//! assert!(hooks.judge_pre_tool_use(&request).is_denied());
//! # Ok::<(), hooks_policies::PolicyErrors>(())
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
