//! Metrics of what agents do: tokens, cost, calls, denials by rule, durations, by agent, team, tenant and
//! repository.
//!
//! [`Metrics`] is shared by everything in a process. [`MetricsLayer`] counts the events of one stack of hooks
//! and its duration; [`Metrics::add_to`] counts in every slot of a set. All metrics are in one table
//! ([`FAMILIES`]), which the Prometheus text ([`Metrics::prometheus`]), the OTLP sink and the page in the
//! documentation use.
//!
//! Names come from models and clients, so the values of each label and the series of each family are limited.
//! Later ones are counted as `other`, and the number of such cases is a metric itself; sums are always
//! correct. An event whose names are known costs one hash for each name and no allocation.
//!
//! Events that other processes recorded are counted by [`Metrics::fold`].
//!
//! A *team* is the name of the team's folder; the *tenant* comes from the context. Each session also has a
//! [`SessionSummary`].
//!
//! ```
//! use hooks_metrics::{Metrics, MetricsConfig};
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
//!
//! Customised: one layer around one stack, and only the events of one tenant.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, PolicyLayer, Reason, Settle, Verdict, policy_fn};
//! use hooks_metrics::{Metrics, MetricsConfig, MetricsLayer};
//! use serde_json::json;
//! use tower::{Layer, ServiceExt};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let metrics = Metrics::new(MetricsConfig::default().of_tenants(["acme".to_owned()]));
//! let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
//!     Verdict::deny(Reason::new("no-shell", "any", "no shell here"))
//! });
//! let stack = MetricsLayer::new(metrics.clone()).layer(PolicyLayer::new(no_shell).layer(Settle));
//! for tenant in ["acme", "other"] {
//!     let context = HookContext::new("s", "backend").for_tenant(tenant);
//!     stack.clone().oneshot(HookRequest::new(context, PreToolUse::new("bash", json!({})))).await?;
//! }
//! let text = metrics.prometheus();
//! assert!(text.contains(r#"tenant="acme""#) && !text.contains(r#"tenant="other""#));
//! assert!(text.contains("hooks_hook_duration_seconds_count"));
//! # Ok(())
//! # }
//! ```

mod config;
mod exposition;
mod family;
pub mod future;
mod layer;
mod names;
mod observe;
mod open_calls;
mod otlp;
mod recorded;
mod registry;
mod series;
mod service;
mod snapshot;
mod summary;

pub use self::config::MetricsConfig;
pub use self::exposition::CONTENT_TYPE;
pub use self::family::{FAMILIES, Family, Instrument, Label};
pub use self::layer::MetricsLayer;
pub use self::recorded::RecordedEvent;
pub use self::registry::Metrics;
pub use self::service::MetricsService;
pub use self::snapshot::{FamilySnapshot, SeriesSnapshot, Value};
pub use self::summary::{RuleSummary, SessionSummary, ToolSummary};

#[cfg(test)]
mod tests;
