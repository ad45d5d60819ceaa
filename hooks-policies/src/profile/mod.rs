//! Squad's policies as hooks.
//!
//! - [`SquadCompat`] runs Squad's pipeline in a stack, exactly as Squad does. It is exempt from laws 2 to 4:
//!   it judges before its own hooks rewrite, and allows calls that it cannot read.
//! - [`SquadHook`] and [`SquadResultHook`] run Squad's custom hooks in front of other policies. Rewritten
//!   calls are judged, and text added to a result is scrubbed.
//!
//! ```
//! use hooks_core::Hooks;
//! use hooks_policies::WriteGuard;
//! use hooks_policies::config::WriteGuardConfig;
//! use hooks_policies::profile::SquadHook;
//! use hooks_policies::squad::{JsError, PreResult, SquadCall};
//!
//! let hook = |call: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
//!     Ok(if call.agent_name == "intern" { PreResult::block("not yet") } else { PreResult::allow() })
//! };
//! let guard = WriteGuard::new(&WriteGuardConfig::default(), &Default::default())?;
//! let hooks = SquadHook::new("no-intern", hook).add_to(Hooks::builder()).policy(guard).build();
//! # Ok::<(), hooks_core::PolicyErrors>(())
//! ```
//!
//! Customised: Squad's whole pipeline as one hook, with the decisions and texts of Squad.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::VirtualTime;
//! use hooks_core::{HookContext, Hooks, Judged, event::PreToolUse};
//! use hooks_policies::profile::SquadCompat;
//! use hooks_policies::squad::{SquadPipeline, SquadPolicy};
//! use serde_json::json;
//!
//! let policy: SquadPolicy = serde_json::from_value(json!({"blockedCommands": ["npm publish"]}))?;
//! let pipeline = Arc::new(SquadPipeline::new(Some(&policy))?);
//! let hooks = Hooks::builder().config(SquadCompat::new(pipeline))?.build();
//! # VirtualTime::default().block_on(async {
//! let run = async |command: &str| {
//!     let call = PreToolUse::new("bash", json!({ "command": command }));
//!     hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(call).await.outcome
//! };
//! assert!(run("echo 'npm publish'").await.is_denied()); // Squad compares text, also a quoted one
//! assert!(run("npm  publish").await.goes_ahead());
//! # }).expect("no hook waits");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compat;
mod hooks;

pub use self::compat::SquadCompat;
pub use self::hooks::{SquadHook, SquadResultHook};

#[cfg(test)]
mod tests;
