//! Separate records for each tenant.

use std::convert::Infallible;
use std::sync::Arc;

use super::Health;
use super::told::Told;

impl Health {
    /// The record of `tenant`, as a [`HookContext`](hooks_core::HookContext) names it. It has the same models
    /// and settings, and is shared with the same fleet under the tenant's name, but holds no state of other
    /// tenants. It is created on first use; the records of the 1,024 most recently used tenants are kept.
    /// Without a tenant, and for the tenant that owns this record, it is this record.
    #[must_use]
    pub fn of_tenant(&self, tenant: Option<&str>) -> Self {
        let inner = &*self.inner;
        let Some(tenant) = tenant.filter(|tenant| !self.is_of(tenant)) else { return self.clone() };
        let Ok(own) = inner.tenants.get_or_make(tenant, || {
            let told: Told = inner.told.clone();
            let fresh = Self::build(inner.catalog.clone(), inner.settings.clone(), inner.world.clone(), told);
            let _first = fresh.inner.owner.set(tenant.into());
            Ok::<_, Infallible>(match inner.fleet.get() {
                Some(fleet) => fresh.shared_for(Arc::clone(fleet.store()), fleet.name(), Some(tenant)),
                None => fresh,
            })
        });
        own
    }

    /// Whether the record belongs to `tenant`.
    pub(crate) fn is_of(&self, tenant: &str) -> bool {
        self.inner.owner.get().is_some_and(|owner| **owner == *tenant)
    }
}
