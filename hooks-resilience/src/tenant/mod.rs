//! A separate stack for each tenant, chosen by the [`HookContext`](hooks_core::HookContext) of the call.
//!
//! A health record belongs to one set of credentials: a tenant's wrong key or used-up quota must not affect
//! others. So each tenant has its own [`Health`](crate::Health) ([`Health::of_tenant`]), and
//! [`PerTenantLayer`] builds a stack on each. The stack is built at the tenant's first call, and kept while
//! the tenant is among the most recently used ones. Calls that name no tenant have a stack too.
//!
//! A call costs a lookup under a lock and a clone of its stack, which it drives to readiness itself; the
//! layer is always ready. It wraps all other layers, because the stack has to be chosen first.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
//! use hooks_resilience::{
//!     Replied, BreakerLayer, Call, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError,
//!     PerTenantLayer, Tier,
//! };
//! use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let client = service_fn(async |call: Call| match call.context().tenant.as_deref() {
//!     Some("acme") => Err(ModelError::new(ErrorKind::Authentication, "invalid api key")),
//!     _ => Ok(Replied::new(call, "yes")),
//! });
//! let layer = PerTenantLayer::new(health, |health| Ok::<_, ModelError>(BreakerLayer::new(health.clone())));
//! let stacks = layer.layer(client);
//!
//! let call = |tenant: &str| {
//!     let context = Arc::new(HookContext::new("session-1", "lead").for_tenant(tenant));
//!     let mut call = Call::new(context, ModelRequest::default(), OpId(1));
//!     call.model = catalog.get("opus").cloned();
//!     call
//! };
//! let refused = stacks.clone().oneshot(call("acme")).await.expect_err("the key is refused");
//! assert_eq!(refused.kind(), ErrorKind::Authentication);
//! let refused = stacks.clone().oneshot(call("acme")).await.expect_err("the breaker of acme is open");
//! assert_eq!(refused.kind(), ErrorKind::NotAdmitted);
//! assert_eq!(stacks.oneshot(call("globex")).await?.reply, "yes", "another tenant does not notice it");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: all layers of a configuration for each tenant. If the stack of a tenant cannot be built, its calls
//! fail with the reason.
//!
//! ```
//! # use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
//! use hooks_resilience::config::{Resilience, ResilienceConfig};
//! use hooks_resilience::{Call, Classified, ModelError, PerTenantLayer};
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
//!     "catalog": [{ "name": "small", "provider": "one", "tier": "fast" }],
//!     "routing": { "default": "fast" },
//! }))?;
//! let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
//! let health = resilience.health(world)?;
//! let layer = PerTenantLayer::new(health, move |health| resilience.layer(health, Classified));
//! let stacks = layer.layer(service_fn(async |call: Call| Ok::<_, ModelError>(call.model_name().to_owned())));
//!
//! let context = HookContext::new("session-1", "lead").for_tenant("acme");
//! let call = Call::new(context.into(), ModelRequest::default(), OpId(1));
//! assert_eq!(stacks.oneshot(call).await?.reply, "small");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! [`Health::of_tenant`]: crate::Health::of_tenant

pub mod future;
mod kept;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub(crate) use self::kept::Kept;
pub use self::layer::PerTenantLayer;
pub use self::service::PerTenant;
