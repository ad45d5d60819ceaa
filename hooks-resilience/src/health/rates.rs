//! What may be sent to a model: a place in the rate of its quota, here or in what a fleet shares.

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
    /// Takes what this needs from the rate of `model`. Of a fleet's rate only from a store that answers at once;
    /// otherwise from our share of it.
    ///
    /// # Errors
    /// Not now; from then on.
    pub fn pace(&self, model: &Model, needs: &Needs, now: Tick) -> Result<(), Tick> {
        let booked = self.book(model, needs, now, Some(now), false).unwrap_or_else(|_later| {
            let known = self.known(model);
            known.map_or(Ok(None), |known| known.quota.book(needs, now, Some(now))).map(|_| None)
        })?;
        booked.into_iter().for_each(|mut slot| slot.used(true));
        Ok(())
    }

    /// A slot in the rate of `model`, at the latest at `latest`; or the future of one.
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
        // Who would not be let through takes no place: all who waited for a probe would, and a fleet's are not given
        // back.
        self.look(known, now);
        let last_resort = last_resort && known.place.lets_last_resort();
        let opens = if last_resort { known.gates_and_provider_open_at(now) } else { known.opens_at(now) };
        if let Some(opens) = opens {
            return Ok(Err(opens));
        }
        if let Some(fleet) = self.inner.fleet.get()
            && quota.is_shared()
        {
            // Where the store answers at once, nothing has to be kept for later, and nothing is allocated.
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

    /// Learns what the provider of `model` lets through, as its headers say; what it does not say stays, and more than
    /// the catalog says is not believed. Of errors this is learned by itself, where they carry
    /// [`limits`](crate::ModelError::limits); of good answers, the client tells:
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
