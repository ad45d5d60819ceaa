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

mod compat;
mod hooks;

pub use self::compat::SquadCompat;
pub use self::hooks::{SquadHook, SquadResultHook};

#[cfg(test)]
mod tests;
