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
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_core::time::Tick;
    /// use hooks_resilience::{Catalog, ErrorKind, Health, HealthSettings, Model, Needs, Readiness, Tier};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// let health = Health::new(&catalog, HealthSettings::default(), world)?;
    /// let minute = Tick(Duration::from_secs(60));
    /// health.of_tenant(Some("acme")).cool_down_until(opus, minute, ErrorKind::RateLimited);
    ///
    /// let ready = |tenant| health.of_tenant(tenant).readiness(opus, &Needs::default(), Tick::default());
    /// assert_eq!(ready(Some("acme")), Readiness::At(minute));
    /// assert_eq!((ready(Some("globex")), ready(None)), (Readiness::Ready, Readiness::Ready));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
