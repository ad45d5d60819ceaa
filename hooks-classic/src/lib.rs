//! The classic policies from one configuration: guards, limits and budgets, and redaction, built together.
//!
//! [`PolicyConfig`] is plain data with a section for each of them. [`StrictPolicies`] adds the parts that
//! outlive a configuration, and [`PolicyHooks`] returns them from a set of hooks. The sections themselves are
//! in `hooks-policies`, `hooks-budgets` and `hooks-redaction`; this crate is the only one that depends on all of them.
//!
//! ```
//! use hooks_classic::PolicyConfig;
//! use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config: PolicyConfig = serde_json::from_value(json!({"command_guard": {"block": ["git push --force"]}}))?;
//! let hooks = Hooks::from_policy(config)?;
//! let call = PreToolUse::new("bash", json!({"command": "git push -f origin main"}));
//! assert!(hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(call).await.outcome.is_denied());
//! # Ok(())
//! # }
//! ```
//!
//! Customised: mistakes of all sections are reported at once, and nothing is built.
//!
//! ```
//! use hooks_classic::PolicyConfig;
//! use hooks_core::Hooks;
//! use serde_json::json;
//!
//! let config: PolicyConfig = serde_json::from_value(json!({
//!     "write_guard": {"allow": ["src/{a"]},
//!     "limits": {"loops": {"rounds": 0}},
//! }))?;
//! let errors = Hooks::from_policy(config).expect_err("two sections have a mistake");
//! let fields: Vec<_> = errors.as_slice().iter().map(|error| &*error.field).collect();
//! assert_eq!(fields, ["write_guard.allow[0]", "limits.loops.rounds"]);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod build;
mod config;
mod squad;
#[cfg(test)]
mod testing;

pub use self::build::{PolicyHooks, StrictPolicies};
pub use self::config::PolicyConfig;
pub use self::squad::squad_policy_to_strict;
