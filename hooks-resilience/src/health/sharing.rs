//! Exchange of state with a fleet: when it is published and read.

use std::sync::Arc;

use hooks_core::HookFuture;
use hooks_core::state::{OpId, StateStore};
use hooks_core::time::Tick;

use super::fleet::{self, Fleet, Link, Namespace};
use super::gated_breaker::GatedBreaker;
use super::standing::Standing;
use super::{Health, Inner, Telling};
use crate::catalog::Model;

impl Health {
    /// Shares the record with all instances that use `store` and the name `fleet`; all of them must use the
    /// same credentials. Call it before the first clone is used: a record that is shared already stays as it
    /// is.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use hooks_core::state::{Memory, StateStore};
    /// use hooks_core::time::Tick;
    /// use hooks_resilience::{Catalog, ErrorKind, Health, HealthSettings, Model, Needs, Readiness, Tier};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// // In production, the store is a Redis that all instances reach.
    /// let store: Arc<dyn StateStore> = Arc::new(Memory::new(Arc::new(time.clone())));
    /// let instance = || {
    ///     let health = Health::new(&catalog, HealthSettings::default(), world.clone())?;
    ///     Ok::<_, hooks_resilience::SettingsError>(health.shared(Arc::clone(&store), "agents"))
    /// };
    /// let (first, second) = (instance()?, instance()?);
    /// let minute = Tick(Duration::from_secs(60));
    /// first.cool_down_until(opus, minute, ErrorKind::RateLimited);
    /// assert_eq!(second.readiness(opus, &Needs::default(), Tick::default()), Readiness::At(minute));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn shared(self, store: Arc<dyn StateStore>, fleet: &str) -> Self {
        self.shared_for(store, fleet, None)
    }

    /// Shares the record as that of `tenant`: it serves calls that name no tenant. The records of other
    /// tenants come from [`of_tenant`](Self::of_tenant); a [`PerTenantLayer`](crate::PerTenantLayer) builds a
    /// stack on each.
    #[must_use]
    pub fn shared_for(self, store: Arc<dyn StateStore>, fleet: &str, tenant: Option<&str>) -> Self {
        let Inner { models, quotas, providers, .. } = &*self.inner;
        if self.inner.fleet.set(Fleet::new(store, fleet)).is_ok() {
            if let Some(tenant) = tenant {
                let _was_one = self.inner.owner.set(tenant.into());
            }
            let namespace = Arc::new(Namespace::new(tenant, fleet));
            let models = models.iter().map(|it| ("model", &it.model.name, &it.place));
            let quotas = quotas.iter().map(|it| ("quota", &it.name, &it.place));
            let providers = providers.iter().map(|it| ("provider", &it.name, &it.place));
            for (what, name, place) in models.chain(quotas).chain(providers) {
                place.link.get_or_init(|| Link::new(&namespace, what, &place.provider, name));
            }
            self.inner.quotas.iter().for_each(|quota| quota.share(&namespace, &self.inner.settings));
        }
        self
    }

    /// Reads the fleet's state of `model`, if its store answers later and the known state is stale.
    pub(crate) fn refresh(&self, model: &Model, now: Tick) -> Telling {
        let (fleet, known) = (self.inner.fleet.get()?, self.known(model)?);
        let links = || known.places().into_iter().filter_map(|place| Some((place, place.link.get()?)));
        let due = match fleet.answers_later() {
            true => links().any(|(place, link)| fleet::is_stale(place, link, now)),
            // The first request shows which kind of store it is.
            false => links().any(|(_, link)| fleet::is_unheard(link)),
        };
        if due { fleet.begin(self.synchronise(known)) } else { None }
    }

    /// Publishes events that the fleet needs at once. Returns the unfinished rest if the store answers later.
    pub(super) fn tell_fleet(&self, known: &Standing) -> Telling {
        self.inner.fleet.get()?;
        let untold = |place: &&GatedBreaker| place.link.get().is_some() && place.has_untold_failure();
        known.places().iter().find(|place| untold(place))?;
        fleet::begun(self.synchronise(known)).err()
    }

    /// Publishes and reads all state of a model.
    fn synchronise(&self, known: &Standing) -> HookFuture<'static, ()> {
        let (health, model) = (self.clone(), known.place.model.clone());
        HookFuture::later(async move {
            let known = health.inner.models.iter().find(|known| Some(&known.model.name) == model.as_ref());
            let (Some(known), Some(fleet)) = (known, health.inner.fleet.get()) else { return };
            let visit = fleet.visit(health.world());
            for place in known.places() {
                if let Some(link) = place.link.get() {
                    fleet::synchronise(&health, &visit, place, link).await;
                }
            }
        })
    }

    /// Reads the fleet's state from a store that answers at once.
    pub(super) fn look(&self, known: &Standing, now: Tick) {
        if let Some(fleet) = self.inner.fleet.get().filter(|fleet| !fleet.answers_later()) {
            self.look_at(fleet, known, now);
        }
    }

    fn look_at(&self, fleet: &Fleet, known: &Standing, now: Tick) {
        for place in known.places() {
            if let Some(link) = place.link.get() {
                fleet::look(self, fleet, place, link, now);
            }
        }
    }

    /// The id of a write, unique in the fleet like the id of a probe.
    pub(super) fn write_id(&self) -> OpId {
        OpId(u128::from(self.probe_name()) << 64 | u128::from(self.probe_name()))
    }

    /// The id of a probe, unique in the fleet even if all instances have the same random seed.
    pub(super) fn probe_name(&self) -> u64 {
        let own = u64::try_from(Arc::as_ptr(&self.inner).addr()).unwrap_or_default();
        self.inner.world.random.next_u64() ^ own
    }
}
