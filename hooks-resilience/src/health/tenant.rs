//! What is known for each tenant, apart from all others.

use std::convert::Infallible;
use std::sync::Arc;

use super::Health;
use super::told::Told;

impl Health {
    /// What is known for `tenant`, as a [`HookContext`](hooks_core::HookContext) names it: of the same models, by the
    /// same settings, and shared with the same fleet under the tenant's own name, but nothing of what is known for
    /// others. Made when it is first asked for; those of the 1,024 tenants that came last are kept. For no tenant, and
    /// for the one whose it is, it is this one.
    #[must_use]
    pub fn of_tenant(&self, tenant: Option<&str>) -> Self {
        let inner = &*self.inner;
        let Some(tenant) = tenant.filter(|tenant| !self.is_of(tenant)) else { return self.clone() };
        let Ok(own) = inner.tenants.get_or_make(tenant, || {
            let told: Told = inner.told.clone();
            let fresh = Self::of(inner.catalog.clone(), inner.settings.clone(), inner.world.clone(), told);
            let _first = fresh.inner.owner.set(tenant.into());
            Ok::<_, Infallible>(match inner.fleet.get() {
                Some(fleet) => fresh.shared_for(Arc::clone(fleet.store()), fleet.name(), Some(tenant)),
                None => fresh,
            })
        });
        own
    }

    /// Whether it is this tenant's own.
    pub(crate) fn is_of(&self, tenant: &str) -> bool {
        self.inner.owner.get().is_some_and(|owner| **owner == *tenant)
    }
}
