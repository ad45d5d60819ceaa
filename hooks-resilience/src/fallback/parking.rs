//! Calls that wait because no model is ready: counted and limited.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hooks_core::time::Tick;

use crate::call::Call;
use crate::sync::{AtomicU64, AtomicUsize};

/// Counts of parked calls. Clones share the counts.
#[derive(Clone, Debug, Default)]
pub struct Parking(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    now: AtomicUsize,
    ever: AtomicU64,
    turned_away: AtomicU64,
}

/// A call that is about to be parked.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct ParkedCall<'a> {
    /// The call.
    pub call: &'a Call,
    /// Time since which it has waited.
    pub since: Tick,
    /// Time until which it waits, before its deadline.
    pub until: Tick,
}

impl Parking {
    /// Number of calls that are parked now.
    pub fn parked(&self) -> usize {
        self.0.now.load(Ordering::Relaxed)
    }

    /// Number of times that a call was parked.
    pub fn ever(&self) -> u64 {
        self.0.ever.load(Ordering::Relaxed)
    }

    /// Number of calls that were rejected because all places were taken.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_resilience::{
    ///     Replied, Call, Catalog, Chains, ChainsConfig, ErrorKind, FallbackLayer, FallbackConfig, Health,
    ///     HealthSettings, Model, ModelError, Tier,
    /// };
    /// # use hooks_core::time::Tick;
    /// # use tower::{Layer, ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
    /// # let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
    /// # let health = Health::new(&catalog, HealthSettings::default(), world)?;
    /// # let call = || Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
    ///
    /// // The only model needs a pause of a minute, and one call may wait for it.
    /// let opus = catalog.get("opus").ok_or("the catalog lists it")?;
    /// health.cool_down_until(opus, Tick(Duration::from_secs(60)), ErrorKind::Overloaded);
    /// let layer = FallbackLayer::new(chains, health, FallbackConfig::default().with_max_parked(1))?;
    /// let client = service_fn(async |call: Call| Ok::<_, ModelError>(Replied::new(call, "yes")));
    /// let stack = layer.layer(client);
    /// let both = futures_util::future::join(stack.clone().oneshot(call()), stack.oneshot(call()));
    /// let (first, second) = both.await;
    /// assert_eq!(first?.reply, "yes");
    /// assert_eq!(second.expect_err("there is one place").kind(), ErrorKind::NotAdmitted);
    /// assert_eq!((layer.parking().ever(), layer.parking().turned_away()), (1, 1));
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    pub fn turned_away(&self) -> u64 {
        self.0.turned_away.load(Ordering::Relaxed)
    }

    /// Takes one of `places` places; `None` if all are taken.
    pub(super) fn enter(&self, places: usize) -> Option<ParkingPlace> {
        let more = |now: usize| (now < places).then(|| now + 1);
        if self.0.now.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            self.0.turned_away.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        self.0.ever.fetch_add(1, Ordering::Relaxed);
        Some(ParkingPlace(Arc::clone(&self.0)))
    }
}

impl fmt::Debug for ParkedCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParkedCall")
            .field("id", &self.call.id())
            .field("since", &self.since)
            .field("until", &self.until)
            .finish()
    }
}

/// The place of one call; freed when dropped.
#[derive(Debug)]
pub(super) struct ParkingPlace(Arc<Counts>);

impl Drop for ParkingPlace {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::sync::{Work, in_every_order};

    #[test]
    fn of_those_who_come_at_the_same_time_as_many_as_there_are_places_are_parked() {
        in_every_order(3, || {
            let (parking, places) = (Parking::default(), Arc::new(Mutex::new(Vec::new())));
            let enter = || {
                let (parking, places) = (parking.clone(), Arc::clone(&places));
                Box::new(move || {
                    let place = parking.enter(2);
                    places.lock().unwrap().push(place);
                }) as Work
            };
            let threads = vec![enter(), enter(), enter()];
            (threads, move || {
                let places = std::mem::take(&mut *places.lock().unwrap());
                assert_eq!(places.iter().flatten().count(), 2);
                assert_eq!((parking.parked(), parking.ever(), parking.turned_away()), (2, 2, 1));
                drop(places);
                assert_eq!(parking.parked(), 0);
            })
        });
    }
}
