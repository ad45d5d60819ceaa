//! Squad's policies as hooks: exactly as Squad runs them, or read strictly.
//!
//! * [`SquadCompat`] puts Squad's pipeline into a stack. It is named as exempt from laws 2 to 4: it judges before
//!   its own hooks rewrite, and allows what it cannot read.
//! * [`squad_policy_to_strict`] reads a Squad policy into the strict configuration.
//! * [`SquadHook`] and [`SquadResultHook`] take Squad's custom hooks along: in front of the strict policies, so that
//!   what they rewrite is judged, and what they add to a result is scrubbed.
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
