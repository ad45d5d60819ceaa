//! Squad's policies as hooks: exactly as Squad runs them, or read strictly.
//!
//! - [`SquadCompat`] runs Squad's pipeline in a stack. It is exempt from laws 2 to 4: it judges before its
//!   own hooks rewrite, and allows calls that it cannot read.
//! - [`squad_policy_to_strict`] converts a Squad policy to the strict configuration.
//! - [`SquadHook`] and [`SquadResultHook`] run Squad's custom hooks in front of the strict policies.
//!   Rewritten calls are judged, and text added to a result is scrubbed.
//!
//! ```
//! use hooks_core::Hooks;
//! use hooks_policies::profile::{SquadHook, squad_policy_to_strict};
//! use hooks_policies::squad::{JsError, PreResult, SquadCall, SquadPolicy};
//! use serde_json::json;
//!
//! let policy: SquadPolicy = serde_json::from_value(json!({"allowedWritePaths": ["docs/**"], "maxAskUser": 3}))?;
//! let config = squad_policy_to_strict(&policy)?;
//! let hook = |call: &mut SquadCall<'_>| -> Result<PreResult, JsError> {
//!     Ok(if call.agent_name == "intern" { PreResult::block("not yet") } else { PreResult::allow() })
//! };
//! let hooks = SquadHook::new("no-intern", hook).add_to(Hooks::builder()).config(config)?.build();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compat;
mod hooks;
mod strict;

pub use self::compat::SquadCompat;
pub use self::hooks::{SquadHook, SquadResultHook};
pub use self::strict::squad_policy_to_strict;

#[cfg(test)]
mod tests;
