//! Reservations in the rate of a model's quota, local or shared by a fleet.

use std::future::ready;
use std::sync::Arc;

use hooks_core::HookFuture;
use hooks_core::time::Tick;

use super::quota::Quota;
use super::{Health, fleet};
use crate::call::Needs;
use crate::catalog::{Limits, Model};
use crate::pacing::{Booked, Slot};

impl Health {
    /// Takes the room for `needs` from the rate of `model`. The rate of a fleet is used only if its store
    /// answers at once; otherwise our share of it is used.
    ///
    /// # Errors
    /// Returns the time from which there is room.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_core::time::Tick;
    /// use hooks_resilience::{Catalog, Health, HealthSettings, Model, Needs, Tier};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let mut opus = Model::new("opus", "anthropic", Tier::Premium);
    /// opus.limits.tokens_per_minute = Some(60_000);
    /// let catalog = Catalog::new([opus])?;
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// let mut settings = HealthSettings::default();
    /// settings.burst = Duration::ZERO;
    /// let health = Health::new(&catalog, settings, world)?;
    ///
    /// // A thousand tokens a second: a request of 20,000 tokens keeps the next one waiting for 20 s.
    /// let needs = Needs { input_tokens: 20_000, ..Needs::default() };
    /// assert_eq!(health.pace(opus, &needs, Tick::default()), Ok(()));
    /// assert_eq!(health.pace(opus, &needs, Tick::default()), Err(Tick(Duration::from_secs(20))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pace(&self, model: &Model, needs: &Needs, now: Tick) -> Result<(), Tick> {
        let booked = self.book(model, needs, now, Some(now), false).unwrap_or_else(|_later| {
            let known = self.known(model);
            known.map_or(Ok(None), |known| known.quota.book(needs, now, Some(now))).map(|_| None)
        })?;
        booked.into_iter().for_each(|mut slot| slot.used(true));
        Ok(())
    }

    /// Reserves a slot in the rate of `model`, by `latest`; or returns the future of one.
    pub(crate) fn book(
        &self,
        model: &Model,
        needs: &Needs,
        now: Tick,
        latest: Option<Tick>,
        last_resort: bool,
    ) -> Result<Booked, HookFuture<'static, Booked>> {
        let Some(known) = self.known(model) else { return Ok(Ok(None)) };
        let quota = &known.quota;
        // A call that would not be admitted reserves nothing. Otherwise all calls that wait for a probe
        // would, and reservations in a fleet's store cannot be returned.
        self.look(known, now);
        let last_resort = last_resort && known.place.lets_last_resort();
        let opens = if last_resort { known.gates_and_provider_open_at(now) } else { known.opens_at(now) };
        if let Some(opens) = opens {
            return Ok(Err(opens));
        }
        if let Some(fleet) = self.inner.fleet.get()
            && quota.is_shared()
        {
            // If the store answers at once, the call needs no stored future and no allocation.
            if fleet.answers_now(now) {
                let ask = |op| ready(fleet.ask_now(op));
                if let Some(Some(booked)) =
                    fleet::at_once(quota.book_shared(&self.inner.world, needs, latest, ask))
                {
                    return Ok(booked.map(|at| Some(Slot::of_fleet(quota, needs, at))));
                }
            }
            return fleet::begun(self.book_shared(Arc::clone(quota), *needs, latest));
        }
        Ok(quota.book(needs, now, latest).map(|at| Some(Slot::new(quota, needs, at?))))
    }

    fn book_shared(
        &self,
        quota: Arc<Quota>,
        needs: Needs,
        latest: Option<Tick>,
    ) -> HookFuture<'static, Booked> {
        let health = self.clone();
        HookFuture::later(async move {
            let inner = &health.inner;
            if let Some(fleet) = inner.fleet.get()
                && let Some(booked) =
                    quota.book_shared(&inner.world, &needs, latest, |op| fleet.ask(op, &inner.world)).await
            {
                return booked.map(|at| Some(Slot::of_fleet(&quota, &needs, at)));
            }
            let booked = quota.book(&needs, inner.world.tick(), latest);
            booked.map(|at| Some(Slot::new(&quota, &needs, at?)))
        })
    }

    /// Learns the rate limits of the provider of `model` from its headers. Limits that it does not state stay
    /// as they are, and learned limits never exceed those of the catalog. Limits of errors are learned
    /// automatically if the errors carry [`limits`](crate::ModelError::limits). For successful answers, the
    /// client calls this:
    ///
    /// ```
    /// use hooks_core::time::Clock;
    /// use hooks_resilience::classify::{Headers, Quota};
    /// use hooks_resilience::{Health, Model};
    ///
    /// fn heard(health: &Health, model: &Model, headers: &Headers, clock: &dyn Clock) {
    ///     if let Some(quota) = Quota::from_headers(headers, clock.now()) {
    ///         health.learn_quota(model, quota.limits());
    ///     }
    /// }
    /// ```
    pub fn learn_quota(&self, model: &Model, limits: Limits) {
        if self.known(model).is_some() {
            self.learn_limits(model.index(), limits);
        }
    }

    pub(super) fn learn_limits(&self, model: usize, limits: Limits) {
        if let Some(known) = self.inner.models.get(model) {
            known.quota.learn(limits, &self.inner.settings);
        }
    }
}
