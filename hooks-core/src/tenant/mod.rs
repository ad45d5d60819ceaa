//! Many tenants in one process: each has its own hooks, and no answer of one tenant's hooks reaches another
//! tenant.
//!
//! [`Tenants`] is a provider made of providers, for the drivers and [`Live`](crate::Live); [`TenantLayer`]
//! does the same for a stack of layers. Both select by [`HookContext::tenant`](crate::HookContext::tenant).
//! An unknown tenant is refused (law 4). A request without a tenant is refused as well, unless there are
//! hooks for such requests.
//!
//! State is kept apart by its keys: in every policy that counts, the keys begin with the tenant.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Hooks, HooksProvider, Judged, Reason, Tenants, Verdict, policy_fn};
//! use serde_json::json;
//!
//! let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
//!     "bash" => Verdict::deny(Reason::new("no-shell", "any", "no shell here")),
//!     _ => Verdict::NO_OPINION,
//! });
//! let tenants = Tenants::default()
//!     .with("acme", Hooks::builder().policy(no_shell).build())
//!     .with("initech", Hooks::default());
//!
//! let call = |tenant| {
//!     let context = HookContext::new("s", "backend").for_tenant(tenant);
//!     HookRequest::new(context, PreToolUse::new("bash", json!({"command": "ls"})))
//! };
//! assert!(tenants.judge_pre_tool_use(&call("acme")).is_denied());
//! assert!(!tenants.judge_pre_tool_use(&call("initech")).is_denied());
//! assert!(tenants.judge_pre_tool_use(&call("nobody")).is_denied());
//! ```
//!
//! Customised: layers of each tenant in a stack, and layers for requests without a tenant:
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{FailureLayer, HookContext, HookRequest, Judged, PolicyLayer, Reason, Settle, TenantLayer, Verdict, policy_fn};
//! use tower::{Layer, ServiceExt};
//!
//! let only = |tool: &'static str| {
//!     PolicyLayer::new(policy_fn("only", move |request: &HookRequest<PreToolUse>| match request.event().tool_name == tool {
//!         true => Verdict::ALLOW,
//!         false => Verdict::deny(Reason::new("only", tool, "no other tool")),
//!     }))
//! };
//! let tenants = TenantLayer::new().with("acme", only("deploy")).for_nobody(only("view"));
//! // A tenant without layers is refused by an error, which the failure layer turns into a denial.
//! let stack = FailureLayer::new("tenants").layer(tenants.layer(Settle));
//! # futures_util::FutureExt::now_or_never(async {
//! for (tenant, tool, goes_ahead) in [
//!     (Some("acme"), "deploy", true),
//!     (Some("acme"), "view", false),
//!     (None, "view", true),
//!     (Some("initech"), "view", false),
//! ] {
//!     let mut context = HookContext::new("s", "backend");
//!     context.tenant = tenant.map(str::to_owned);
//!     let call = HookRequest::new(context, PreToolUse::new(tool, serde_json::json!({})));
//!     let outcome = stack.clone().oneshot(call).await.expect("an outcome");
//!     assert_eq!(outcome.goes_ahead(), goes_ahead, "{tenant:?} {tool}");
//! }
//! # }).expect("no hook waits");
//! ```

pub mod future;
mod layer;
mod only;
mod provider;
mod service;

pub use self::layer::TenantLayer;
pub(crate) use self::only::Selection;
pub use self::provider::Tenants;
pub use self::service::TenantService;

use crate::context::HookContext;
use crate::error::HookError;

/// The error for a request whose tenant is unknown or missing.
fn unknown(context: &HookContext) -> HookError {
    HookError::unavailable(match &context.tenant {
        Some(tenant) => {
            format!("there are no hooks for the tenant `{tenant}`; add them, or correct the name")
        }
        None => "the request names no tenant; set the tenant of its context".to_owned(),
    })
}

#[cfg(test)]
mod tests;
