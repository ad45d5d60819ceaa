//! Rate limits: a model's own quota, or one that several models share.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, PoisonError};
use std::time::Duration;

use hooks_core::state::{Op, StepResult};
use hooks_core::time::Tick;

use super::HealthSettings;
use super::fleet::{Fleet, Namespace};
use super::gated_breaker::GatedBreaker;
use crate::call::Needs;
use crate::catalog::{Limits, Model};
use crate::duration::nanos;
use crate::pacing::{Caution, Ladder, Rate, SharedRate};
use crate::sync::{AtomicBool, AtomicU64, Mutex, MutexGuard};
use crate::world::World;

/// State of one quota.
pub(crate) struct Quota {
    pub(super) name: Arc<str>,
    /// Only its gate and the number of refusals in a row are used: a quota is used up, it does not break.
    pub(super) place: GatedBreaker,
    rates: Mutex<Rates>,
    /// Limits from the catalog; learned limits never exceed them.
    most: Limits,
    /// Whether any limit is known; without limits, no caller has to take the lock.
    limited: AtomicBool,
    /// When all requests taken so far are paid, in nanoseconds. From then on, callers know without the lock
    /// that there is room, unless they send more than `widest`. Never, if a fleet shares the rates.
    paid: AtomicU64,
    /// Most tokens that fit into a minute.
    widest: AtomicU64,
    /// Namespace of the fleet that shares the quota, if there is one.
    fleet: OnceLock<Arc<Namespace>>,
}

/// The rates of one quota.
#[derive(Clone, Default)]
struct Rates {
    limits: Limits,
    /// Caution after refusals; `None` without a known limit.
    ladder: Option<Ladder>,
    requests: Option<Rate>,
    tokens: Option<Rate>,
    /// The rates as the fleet's store keeps them. The local rates are then our share, used while the store is
    /// unavailable.
    shared: Option<Arc<SharedRates>>,
    /// Time before which the store had no room.
    full_until: Tick,
}

/// The rates of a fleet's quota.
struct SharedRates {
    requests: Option<SharedRate>,
    tokens: Option<SharedRate>,
}

/// The quota of `model`, created if it does not exist. The limits of a shared quota are those of the first
/// model that has it.
pub(super) fn quota_of(
    quotas: &mut Vec<Arc<Quota>>,
    model: &Model,
    settings: &HealthSettings,
    now: Tick,
) -> Arc<Quota> {
    let name = model.quota.as_ref().unwrap_or(&model.name);
    let own = model.quota.is_none();
    let known = |quota: &&Arc<Quota>| !own && quota.name == *name && quota.place.provider == model.provider;
    if let Some(quota) = quotas.iter().find(known) {
        return Arc::clone(quota);
    }
    let quota = Arc::new(Quota {
        name: Arc::clone(name),
        place: GatedBreaker::new(None, &model.provider, &settings.breaker),
        rates: Mutex::default(),
        most: model.limits,
        limited: AtomicBool::new(false),
        paid: AtomicU64::new(0),
        widest: AtomicU64::new(u64::MAX),
        fleet: OnceLock::new(),
    });
    quota.learn(model.limits, settings);
    quota.place.be_cautious_until(quota.cautious_at_first(now));
    quotas.push(Arc::clone(&quota));
    quota
}

impl Quota {
    /// When there is room, as far as known here; `None` if there never is.
    pub(super) fn ready_at(&self, needs: &Needs, now: Tick, fleet: Option<&Fleet>) -> Option<Tick> {
        if !self.is_limited() || self.is_paid(needs, now) {
            return Some(now);
        }
        let (at, shared, owed) = {
            let rates = self.rates();
            let owed = rates.owed(needs)?;
            match &rates.shared {
                Some(shared) => (rates.full_until, Arc::clone(shared), owed),
                None => {
                    let caution = self.caution(&rates, now);
                    return Some(moment(rates.room_at(owed, nanos(now.0), caution), now));
                }
            }
        };
        let caution = self.caution(&self.rates(), now);
        let Some(fleet) = fleet.filter(|fleet| !fleet.answers_later()) else { return Some(at) };
        // A store that answers at once is read, because its state is newer.
        let mut wait = Duration::ZERO;
        let looks = [(&shared.requests, 1), (&shared.tokens, owed)];
        for op in looks.into_iter().filter_map(|(rate, amount)| rate.as_ref()?.with(caution).look(amount)) {
            match fleet.ask_now(op) {
                Some(StepResult::Wait(longer)) => wait = wait.max(longer),
                Some(_) => {}
                None => return Some(at),
            }
        }
        Some(now.after(wait))
    }

    /// Reserves room for `needs` at the first possible time, by `latest`. Returns that time, or `None`
    /// without a rate.
    pub(super) fn book(&self, needs: &Needs, now: Tick, latest: Option<Tick>) -> Result<Option<Tick>, Tick> {
        if !self.is_limited() {
            return Ok(None);
        }
        let mut rates = self.rates();
        let Some(owed) = rates.owed(needs) else { return Err(Tick(Duration::MAX)) };
        let since = nanos(now.0);
        let caution = self.caution(&rates, now);
        let at = moment(rates.room_at(owed, since, caution), now);
        if at > now && latest.is_some_and(|latest| at > latest) {
            return Err(at);
        }
        rates.take(owed, since, caution);
        self.tell(&rates);
        Ok(Some(at))
    }

    /// Whether a fleet's store keeps its rates.
    pub(super) fn is_shared(&self) -> bool {
        self.is_limited() && self.rates().shared.is_some()
    }

    /// Reserves room as `book` does, in the rates of the fleet, which `ask` reaches; `None` if its store is
    /// unavailable.
    pub(super) async fn book_shared<A>(
        &self,
        world: &World,
        needs: &Needs,
        latest: Option<Tick>,
        ask: impl Fn(Op) -> A,
    ) -> Option<Result<Tick, Tick>>
    where
        A: Future<Output = Option<StepResult>>,
    {
        let (shared, owed, caution) = {
            let rates = self.rates();
            (rates.shared.clone()?, rates.owed(needs), self.caution(&rates, world.tick()))
        };
        let Some(owed) = owed else { return Some(Err(Tick(Duration::MAX))) };
        let amounts = (owed, 1);
        // Amounts taken from a store cannot be returned. So tokens are taken only if there is room for a
        // request too.
        if let (Some(_), Some(requests)) = (&shared.tokens, &shared.requests) {
            let requests = requests.with(caution);
            let room = requests.has_room(amounts.1, world.tick(), latest, &ask);
            if let Err(ready_at) = room.await? {
                return Some(Err(self.is_full_until(ready_at)));
            }
        }
        let mut at = world.tick();
        for (rate, amount) in [(&shared.tokens, amounts.0), (&shared.requests, amounts.1)] {
            let Some(rate) = rate else { continue };
            match rate.with(caution).book(amount, world.tick(), latest, &ask).await? {
                Ok(slot) => at = at.max(slot),
                Err(ready_at) => return Some(Err(self.is_full_until(ready_at))),
            }
        }
        Some(Ok(at))
    }

    /// Records that the fleet's store has no room before `at`.
    fn is_full_until(&self, at: Tick) -> Tick {
        let mut rates = self.rates();
        rates.full_until = rates.full_until.max(at);
        at
    }

    /// Returns a request, with as many tokens as it took.
    pub(crate) fn give_back(&self, tokens: u64) {
        let mut rates = self.rates();
        let owed = rates.at_most_a_minute(tokens);
        if let Some(rate) = &mut rates.requests {
            rate.give_back(1);
        }
        if let Some(rate) = &mut rates.tokens {
            rate.give_back(owed);
        }
        self.tell(&rates);
    }

    /// The caution that refusals require at `now`.
    fn caution(&self, rates: &Rates, now: Tick) -> Caution {
        rates.ladder.map(|ladder| ladder.caution(self.place.cautious_until(), now)).unwrap_or_default()
    }

    /// End of the caution for an unknown quota, at `now`.
    pub(super) fn cautious_at_first(&self, now: Tick) -> Tick {
        self.rates().ladder.map_or(now, |ladder| ladder.at_first(now))
    }

    /// End of the caution after a refusal at `now`, if the quota is called again at `opens`.
    pub(super) fn cautious_after_refusal(&self, now: Tick, opens: Tick) -> Tick {
        let (until, is_first) = (self.place.cautious_until(), !self.place.is_failing());
        self.rates().ladder.map_or(until, |ladder| ladder.refused(until, now, opens, is_first))
    }

    /// Moves the rates to a fleet's store.
    pub(super) fn share(&self, namespace: &Arc<Namespace>, settings: &HealthSettings) {
        let fleet = self.fleet.get_or_init(|| Arc::clone(namespace));
        let mut rates = self.rates();
        rates.make(Some((fleet, self)), settings);
        self.tell(&rates);
    }

    /// Adopts newly known limits; amounts already taken still count.
    pub(super) fn learn(&self, limits: Limits, settings: &HealthSettings) {
        let mut rates = self.rates();
        let (known, most) = (rates.limits, self.most);
        rates.limits.requests_per_minute =
            learned(limits.requests_per_minute, most.requests_per_minute).or(known.requests_per_minute);
        rates.limits.tokens_per_minute =
            learned(limits.tokens_per_minute, most.tokens_per_minute).or(known.tokens_per_minute);
        if rates.limits != known {
            rates.make(self.fleet.get().map(|fleet| (fleet, self)), settings);
            self.tell(&rates);
            self.limited.store(true, Ordering::Release);
        }
    }

    /// Whether there is room for `needs` at `now`, as far as the lock-free fields show.
    fn is_paid(&self, needs: &Needs, now: Tick) -> bool {
        self.paid.load(Ordering::Relaxed) <= nanos(now.0)
            && needs.input_tokens <= self.widest.load(Ordering::Relaxed)
    }

    /// Updates the lock-free fields to `rates`.
    fn tell(&self, rates: &Rates) {
        self.paid.store(rates.paid(), Ordering::Relaxed);
        self.widest.store(rates.limits.tokens_per_minute.unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn is_limited(&self) -> bool {
        self.limited.load(Ordering::Acquire)
    }

    fn rates(&self) -> MutexGuard<'_, Rates> {
        self.rates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reported limit, at most `most`; zero counts as unknown.
fn learned<T: Ord + Default>(told: Option<T>, most: Option<T>) -> Option<T> {
    let is_one = |limit: &T| *limit > T::default();
    let told = told.filter(is_one)?;
    Some(match most.filter(is_one) {
        Some(most) => told.min(most),
        None => told,
    })
}

impl Rates {
    /// Creates the rates from the known limits.
    fn make(&mut self, fleet: Option<(&Arc<Namespace>, &Quota)>, settings: &HealthSettings) {
        let share = if fleet.is_some() { u64::from(settings.instances.max(1)) } else { 1 };
        let (requests, tokens) =
            (self.limits.requests_per_minute.map(u64::from), self.limits.tokens_per_minute);
        self.ladder = requests.or(tokens).is_some().then(|| Ladder::new(requests, settings.burst));
        let rate = |limit: u64, before: Option<Rate>| {
            Rate::new(limit.div_euclid(share).max(1), settings.burst).owing(before)
        };
        self.requests = requests.map(|limit| rate(limit, self.requests));
        self.tokens = tokens.map(|limit| rate(limit, self.tokens));
        self.shared = fleet.filter(|_| requests.or(tokens).is_some()).map(|(fleet, quota)| {
            let key = |what| fleet.key("pace", what, &quota.place.provider, &quota.name);
            let shared = |what, limit: Option<u64>| {
                limit.map(|limit| SharedRate::new(key(what), limit, settings.burst))
            };
            Arc::new(SharedRates { requests: shared("requests", requests), tokens: shared("tokens", tokens) })
        });
    }

    /// Number of tokens that `needs` take from the rate; `None` if the input never fits into a minute.
    fn owed(&self, needs: &Needs) -> Option<u64> {
        let fits = self.limits.tokens_per_minute.is_none_or(|limit| needs.input_tokens <= limit);
        fits.then(|| self.at_most_a_minute(needs.tokens()))
    }

    /// Limits a call to the tokens of a minute. No answer is longer, and a call that allows an endless answer
    /// must not block the rate for ever.
    fn at_most_a_minute(&self, tokens: u64) -> u64 {
        tokens.min(self.limits.tokens_per_minute.unwrap_or(u64::MAX))
    }

    /// When there is room for a request of `owed` tokens.
    fn room_at(&self, owed: u64, now: u64, caution: Caution) -> u64 {
        let requests = self.requests.map_or(now, |rate| rate.with(caution).ready_at(1, now));
        let tokens = self.tokens.map_or(now, |rate| rate.with(caution).ready_at(owed, now));
        requests.max(tokens)
    }

    fn take(&mut self, owed: u64, now: u64, caution: Caution) {
        if let Some(rate) = &mut self.requests {
            rate.take(1, now, caution);
        }
        if let Some(rate) = &mut self.tokens {
            rate.take(owed, now, caution);
        }
    }

    /// When all amounts taken so far are paid.
    fn paid(&self) -> u64 {
        if self.shared.is_some() {
            return u64::MAX;
        }
        self.requests.iter().chain(&self.tokens).map(Rate::paid).max().unwrap_or_default()
    }
}

/// Converts `at`, in nanoseconds; in most cases it is `now`.
fn moment(at: u64, now: Tick) -> Tick {
    if at == nanos(now.0) { now } else { Tick(Duration::from_nanos(at)) }
}
