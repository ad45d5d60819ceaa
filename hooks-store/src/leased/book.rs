//! The leases of this instance, and the reservations made out of them.
//!
//! A lease is a counter in the in-process engine. The limit of that counter is part of every reservation, so
//! it never changes. Instead, the amount that is not leased counts as already spent, and this amount shrinks
//! when the lease grows.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use futures_util::lock::Mutex as Gate;
use hooks_core::HookFuture;
use hooks_core::state::{Key, Memory, Op, OpId, REMEMBERED, Scope, StateStore as _, StepResult, Window};
use hooks_core::time::Tick;

use super::spending::Spending;

/// All leases of this instance.
pub(super) struct Book {
    /// Engine for the reservations out of leases.
    local: Memory,
    pools: HashMap<PoolKey, Pool>,
    leases: HashMap<OpId, Lease>,
    places: HashMap<OpId, ReservedIn>,
    /// Most pools, and most leases.
    most: usize,
    /// Number of counters that were ever named here.
    counters: u128,
    /// Counters of leases that went back, for the next ones.
    free: Vec<Key>,
    /// Number of corrections so far; each needs its own id.
    corrections: u128,
    /// Whether all operations go to the store from now on.
    pub(super) is_closed: bool,
}

/// The pool from which one set of scopes is reserved.
pub(super) struct Pool {
    /// Current lease, if there is one.
    pub(super) lease: Option<OpId>,
    /// A lease whose grant was never received. The same lease is requested again.
    pub(super) pending: Option<Pending>,
    pub(super) spending: Spending,
    /// Time of the last reservation.
    pub(super) used: Tick,
    /// Until this time nothing is leased, because the limit is near.
    pub(super) exact_until: Tick,
    /// Only one task at a time asks the store; the others then use its lease.
    pub(super) gate: Arc<Gate<()>>,
}

/// A lease that was requested.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub(super) id: OpId,
    /// End of the first of its windows, determined before the first request. A repeated request is still for
    /// the same window.
    pub(super) ends: Tick,
}

/// A lease.
#[derive(Clone, Debug)]
pub(super) struct Lease {
    granted: u64,
    /// The scopes of the local counter.
    scopes: Arc<[Scope]>,
    counter: Key,
    /// Time at which the store considers this instance lost.
    pub(super) expires: Tick,
    /// End of the first of its windows; later reservations belong to the next window.
    ends: Tick,
    /// Number of reservations from it that have not ended. A holder may still report, even if it counts as
    /// lost.
    open: usize,
    /// Gate of its pool.
    gate: Arc<Gate<()>>,
}

/// A lease whose grant was never received, and whose pool was idle for a while.
pub(super) struct Unheard {
    pub(super) id: OpId,
    pub(super) scopes: Arc<[Scope]>,
    /// Gate of its pool.
    pub(super) gate: Arc<Gate<()>>,
}

/// Place where a reservation was made.
#[derive(Clone, Copy, Debug)]
enum ReservedIn {
    /// In this lease, with this amount.
    Lease(OpId, u64),
    /// In the store, and known to be there until this time.
    Store(Tick),
}

/// Limit of every local counter. The room above it is for calls that cost more than was reserved.
const LIMIT: u64 = 1 << 52;

/// Time for which a reservation in the store is known to be there.
const KNOWN: Duration = Duration::from_secs(600);

/// Most reservations that are remembered for each lease that there is room for.
const PLACES: usize = 4;

impl Book {
    pub(super) fn new(local: Memory, most: usize) -> Self {
        Self {
            local,
            pools: HashMap::new(),
            leases: HashMap::new(),
            places: HashMap::new(),
            most,
            counters: 0,
            free: Vec::new(),
            corrections: 0,
            is_closed: false,
        }
    }

    /// Whether something may be leased for `scopes`.
    pub(super) fn has_room(&self, scopes: &Arc<[Scope]>) -> bool {
        let has_pool = self.pools.len() < self.most || self.pools.contains_key(&PoolKey(Arc::clone(scopes)));
        has_pool && self.leases.len() < self.most && self.has_places()
    }

    fn has_places(&self) -> bool {
        self.places.len() < self.most.saturating_mul(PLACES)
    }

    /// Enters what a reservation took at the store.
    pub(super) fn spent(&mut self, scopes: &Arc<[Scope]>, amount: u64, now: Tick, horizon: Duration) {
        if self.has_room(scopes) {
            let pool = self.pool(scopes, now);
            pool.spending.add(amount, now, horizon);
            pool.used = now;
        }
    }

    pub(super) fn pool(&mut self, scopes: &Arc<[Scope]>, now: Tick) -> &mut Pool {
        self.pools.entry(PoolKey(Arc::clone(scopes))).or_insert_with(|| Pool {
            lease: None,
            pending: None,
            spending: Spending::default(),
            used: now,
            exact_until: Tick::default(),
            gate: Arc::default(),
        })
    }

    /// Answers a reservation that was made here before.
    pub(super) fn known(&self, id: OpId, ttl: Duration) -> Option<StepResult> {
        // On a counter with a limit of zero, an unknown reservation is refused.
        let scopes = [Scope::spent(Key::new(None, &[]), 0)].into();
        match self.here(Op::Reserve { id, scopes, amount: 1, ttl }) {
            StepResult::Refused { .. } | StepResult::Unknown => None,
            answer => Some(answer),
        }
    }

    /// Makes a reservation from the lease of its scopes; `None` if the store has to be asked.
    pub(super) fn take(
        &mut self,
        id: OpId,
        scopes: &Arc<[Scope]>,
        amount: u64,
        ttl: Duration,
        (now, horizon): (Tick, Duration),
    ) -> Option<StepResult> {
        match self.places.get(&id) {
            Some(ReservedIn::Store(_)) => return None,
            Some(ReservedIn::Lease(..)) => return self.known(id, ttl),
            None if !self.has_places() => return None,
            None => {}
        }
        let pool = self.pools.get_mut(&PoolKey(Arc::clone(scopes)))?;
        let lease_id = pool.lease?;
        let lease = self.leases.get_mut(&lease_id).filter(|lease| now < lease.expires.min(lease.ends))?;
        let local = Op::Reserve { id, scopes: Arc::clone(&lease.scopes), amount, ttl };
        let answer = here(&self.local, local);
        match answer {
            StepResult::Done => {
                pool.used = now;
                pool.spending.add(amount, now, horizon);
                lease.open += 1;
                self.places.insert(id, ReservedIn::Lease(lease_id, amount));
                Some(StepResult::Done)
            }
            // The lease has less left than the reservation needs, or there is no room for it.
            StepResult::Refused { .. } | StepResult::Unknown => None,
            answer => Some(answer),
        }
    }

    /// Does `op` if it is about a reservation that was made here. Returns `Unknown` if it was not, and
    /// `Refused` if the lease is too small.
    pub(super) fn change(&mut self, op: &Op) -> StepResult {
        let answer = self.here(op.clone());
        match (op, &answer) {
            (
                Op::Settle { id, .. } | Op::Release { id },
                StepResult::Done | StepResult::Ended { .. } | StepResult::Unknown,
            ) => {
                if let Some(ReservedIn::Lease(lease, _)) = self.places.remove(id)
                    && let Some(lease) = self.leases.get_mut(&lease)
                {
                    lease.open = lease.open.saturating_sub(1);
                }
            }
            (Op::Extend { id, to, .. }, StepResult::Done) => {
                if let Some(ReservedIn::Lease(_, amount)) = self.places.get_mut(id) {
                    *amount = (*amount).max(*to);
                }
            }
            _ => {}
        }
        answer
    }

    /// Returns the lease of a reservation, and the amount that the lease needs so that the reservation can
    /// hold `to`.
    pub(super) fn needed(&self, id: OpId, to: u64) -> Option<(OpId, u64)> {
        let Some(ReservedIn::Lease(lease_id, amount)) = self.places.get(&id).copied() else { return None };
        let used = self.used(self.leases.get(&lease_id)?).0;
        Some((lease_id, used.saturating_add(to.saturating_sub(amount))))
    }

    /// Returns the gate of the pool that the lease of a reservation belongs to.
    pub(super) fn gate(&self, id: OpId) -> Option<Arc<Gate<()>>> {
        let Some(ReservedIn::Lease(lease_id, _)) = self.places.get(&id) else { return None };
        self.leases.get(lease_id).map(|lease| Arc::clone(&lease.gate))
    }

    /// Records that a reservation is made in the store, as long as there is room. If one that is not recorded comes
    /// again, it may be made here as well, and is charged twice.
    pub(super) fn passes(&mut self, id: OpId, ttl: Duration, now: Tick) {
        if self.has_places() {
            self.places.insert(id, ReservedIn::Store(now.after(ttl.min(KNOWN))));
        }
    }

    /// Adds a lease. Reservations are made from it from now on.
    pub(super) fn enter(
        &mut self,
        scopes: &Arc<[Scope]>,
        id: OpId,
        granted: u64,
        expires: Tick,
        ends: Tick,
        now: Tick,
    ) {
        let granted = granted.min(LIMIT);
        let counter = self.free.pop().unwrap_or_else(|| {
            self.counters = self.counters.saturating_add(1);
            Key::new(None, &[&format!("{:x}", self.counters)])
        });
        let local = [Scope::spent(counter.clone(), LIMIT)].into();
        // Of a counter that was not set, anything could be taken: then the lease goes back.
        let is_set = self.set_spent(&counter, LIMIT - granted);
        let pool = self.pool(scopes, now);
        (pool.lease, pool.pending) = (is_set.then_some(id), None);
        let gate = Arc::clone(&pool.gate);
        self.leases.insert(id, Lease { granted, scopes: local, counter, expires, ends, open: 0, gate });
    }

    /// Increases a lease to `granted`.
    pub(super) fn grow(&mut self, id: OpId, granted: u64, expires: Tick) {
        let Some(lease) = self.leases.get(&id) else { return };
        let (used, held) = self.charged(lease);
        let granted = granted.min(LIMIT).max(lease.granted);
        let spent = used.saturating_sub(held).saturating_sub(granted - lease.granted);
        let counter = lease.counter.clone();
        self.set_spent(&counter, spent);
        if let Some(lease) = self.leases.get_mut(&id) {
            (lease.granted, lease.expires) = (granted, expires);
        }
    }

    /// Uses up all leases, so that no further reservation fits.
    pub(super) fn exhaust(&mut self) {
        let counters: Vec<_> =
            self.leases.values().map(|lease| (lease.counter.clone(), self.charged(lease).1)).collect();
        for (counter, held) in counters {
            self.set_spent(&counter, LIMIT.saturating_sub(held));
        }
    }

    /// Records a later expiry of a lease.
    pub(super) fn renewed(&mut self, id: OpId, expires: Tick) {
        if let Some(lease) = self.leases.get_mut(&id) {
            lease.expires = expires;
        }
    }

    /// Returns the leases that are still needed, each with the time at which the store considers this
    /// instance lost.
    pub(super) fn needed_longer(&self) -> Vec<(OpId, Tick)> {
        let taken_from = self.taken_from();
        let is_needed =
            |id: &OpId, lease: &Lease| taken_from.contains(id) || lease.open > 0 && self.used(lease).1 > 0;
        let needed = self.leases.iter().filter(|(id, lease)| is_needed(id, lease));
        needed.map(|(id, lease)| (*id, lease.expires)).collect()
    }

    /// Returns the leases that are no longer used and whose reservations have ended, each with the amount
    /// used.
    pub(super) fn finished(&self) -> Vec<(OpId, u64)> {
        let taken_from = self.taken_from();
        let finished = self.leases.iter().filter(|(id, lease)| lease.open == 0 && !taken_from.contains(id));
        finished.map(|(id, lease)| (*id, self.used(lease).0)).collect()
    }

    fn taken_from(&self) -> HashSet<OpId> {
        self.pools.values().filter_map(|pool| pool.lease).collect()
    }

    /// Returns all leases with the amounts used and still held, and all leases that may have been granted.
    pub(super) fn all(&self) -> Vec<(OpId, u64)> {
        let leases = self.leases.iter().map(|(id, lease)| (*id, self.used(lease).0));
        leases.chain(self.pools.values().filter_map(|pool| Some((pool.pending?.id, 0)))).collect()
    }

    /// Removes a lease that was returned to the store.
    pub(super) fn returned(&mut self, id: OpId) {
        if let Some(lease) = self.leases.remove(&id)
            // A reservation that may still end would be charged to the counter's next lease.
            && lease.open == 0
        {
            self.free.push(lease.counter);
        }
    }

    /// Stops using the leases of scopes without a reservation for `idle`, and drops everything that cannot be
    /// referred to any more. Returns the leases of those scopes whose grant was never received, with their
    /// gates.
    pub(super) fn rest(&mut self, now: Tick, idle: Duration) -> Vec<Unheard> {
        for pool in self.pools.values_mut().filter(|pool| now.since(pool.used) >= idle) {
            pool.lease = None;
        }
        self.pools.retain(|_, pool| {
            let is_asked = Arc::strong_count(&pool.gate) > 1;
            is_asked || pool.lease.is_some() || pool.pending.is_some() || now.since(pool.used) < idle
        });
        // A lease is kept for a lost holder as long as the store remembers it.
        let lost = self.leases.extract_if(|_, lease| now >= lease.expires.after(REMEMBERED));
        let lost: Vec<_> = lost.map(|(_, lease)| lease.counter).collect();
        for counter in lost {
            // What nothing is charged to is forgotten.
            self.set_spent(&counter, 0);
        }
        let leases = &self.leases;
        self.places.retain(|_, place| match place {
            ReservedIn::Lease(lease, _) => leases.contains_key(lease),
            ReservedIn::Store(until) => now < *until,
        });
        let unheard = self.pools.iter().filter(|(_, pool)| now.since(pool.used) >= idle);
        let unheard = unheard.filter_map(|(key, pool)| {
            Some(Unheard { id: pool.pending?.id, scopes: Arc::clone(&key.0), gate: Arc::clone(&pool.gate) })
        });
        unheard.collect()
    }

    /// Returns the used amount of a lease, and the part of it that is held.
    fn used(&self, lease: &Lease) -> (u64, u64) {
        let (used, held) = self.charged(lease);
        (used.saturating_sub(LIMIT - lease.granted), held)
    }

    fn charged(&self, lease: &Lease) -> (u64, u64) {
        match self.here(Op::Used { key: lease.counter.clone(), window: Window::Always }) {
            StepResult::Used { used, held } => (used, held),
            // An unknown counter is treated as used up.
            _ => (LIMIT, LIMIT),
        }
    }

    /// Returns whether the counter could be set.
    fn set_spent(&mut self, counter: &Key, spent: u64) -> bool {
        let id = OpId(self.corrections);
        self.corrections = self.corrections.wrapping_add(1);
        let correction = Op::Correct { id, key: counter.clone(), window: Window::Always, spent };
        self.here(correction) == StepResult::Done
    }

    fn here(&self, op: Op) -> StepResult {
        here(&self.local, op)
    }

    /// Returns the numbers of pools, of leases, and of counters that wait for a lease; and the number of
    /// counters that were ever named.
    #[cfg(test)]
    pub(super) fn sizes(&self) -> ([usize; 3], u128) {
        ([self.pools.len(), self.leases.len(), self.free.len()], self.counters)
    }
}

/// Does `op` in the in-process engine, which answers at once.
fn here(local: &Memory, op: Op) -> StepResult {
    match local.apply(op) {
        HookFuture::Now(Some(Ok(answer))) => answer,
        _ => StepResult::Unknown,
    }
}

/// Scopes as the key of a pool.
#[derive(PartialEq, Eq)]
struct PoolKey(Arc<[Scope]>);

impl Hash for PoolKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The same key with another window is rare; equality distinguishes them.
        self.0.iter().for_each(|scope| (&scope.key, scope.limit).hash(state));
    }
}
