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
