//! Counts what agents do: tokens, cost, calls, denials by rule, durations, by agent, team, tenant and repository.
//!
//! [`Metrics`] is shared by everything in a process. [`MetricsLayer`] counts around one stack of hooks, and how long that
//! takes; [`Metrics::add_to`] counts in every slot of a set. What is counted is one table ([`FAMILIES`]), from which
//! the Prometheus text ([`Metrics::prometheus`]), the OTLP sink and the page in the documentation come.
//!
//! Names come from models and clients, so there are bounds: so many values of each label, so many series of each
//! family; what comes later is counted under `other`, and how often that happened is a metric itself. No sum is ever
//! wrong for it. An event whose names are known costs one hash for each of them and no allocation.
//!
//! A *team* is the name of the team's folder, a *tenant* what the context says. What ends is summed up by session, too:
//! [`SessionSummary`].
//!
//! ```
//! use hooks_audit::metrics::{Metrics, MetricsConfig};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let metrics = Metrics::new(MetricsConfig::default());
//! let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
//!     Verdict::deny(Reason::new("no-shell", "any", "no shell here"))
//! });
//! let hooks = metrics.add_to(Hooks::builder().policy(no_shell)).build();
//! hooks.on(HookContext::new("s", "backend")).pre_tool_use(PreToolUse::new("bash", json!({}))).await;
//! let text = metrics.prometheus();
//! assert!(text.contains(
//!     r#"hooks_denials_total{agent="backend",event="pre_tool_use",policy="no-shell",rule="any",kind="policy"} 1"#
//! ));
//! # }
//! ```

mod exposition;
mod family;
pub mod future;
mod layer;
mod names;
mod observe;
mod open_calls;
mod registry;
mod series;
mod service;
mod settings;
mod snapshot;
mod summary;

pub use self::exposition::CONTENT_TYPE;
pub use self::family::{FAMILIES, Family, Instrument, Label};
pub use self::layer::MetricsLayer;
pub use self::registry::Metrics;
pub use self::service::MetricsService;
pub use self::settings::MetricsConfig;
pub use self::snapshot::{FamilySnapshot, SeriesSnapshot, Value};
pub use self::summary::{RuleSummary, SessionSummary, ToolSummary};

#[cfg(test)]
mod tests;
