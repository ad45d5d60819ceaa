//! A stack of its own for each tenant, picked by the [`HookContext`](hooks_core::HookContext) of the call.
//!
//! What is known of models is known of one set of credentials: whose key is wrong, or whose quota is used up, must be
//! nobody else's loss. So each tenant has a [`Health`](crate::Health) of its own ([`Health::of_tenant`]), and
//! [`PerTenantLayer`] a stack over each: made when a tenant's first call comes, and kept while the tenant is among those
//! that came last. Calls that name no tenant have a stack too.
//!
//! A call costs a look under a lock and a clone of its stack, which it drives to readiness itself; the layer is always
//! ready. It goes around everything else: which stack it is has to be known before anything of one is asked.
//!
//! ```
//! use hooks_resilience::{BreakerLayer, Health, ModelError, PerTenantLayer};
//!
//! # fn layer(health: Health) {
//! let layer = PerTenantLayer::new(health, |health| Ok::<_, ModelError>(BreakerLayer::new(health.clone())));
//! # drop(layer);
//! # }
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
