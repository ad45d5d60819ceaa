//! Reservations: the amounts held in counters, and how they end.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::super::key::{Key, OpId};
use super::super::operation::StepResult;
use super::super::scope::{MAX_AMOUNT, Scope, ScopeKind, Window};
use super::{REMEMBERED, State};
use crate::time::Timestamp;

/// All reservations that are open or remembered.
#[derive(Clone, Debug, Default)]
pub(super) struct Holds {
    all: HashMap<OpId, Held>,
    /// Times at which the holders of open reservations count as lost.
    expiring: BTreeSet<(Timestamp, OpId)>,
}

#[derive(Clone, Debug)]
struct Held {
    scopes: Arc<[Scope]>,
    /// Time of the reservation. It is charged to the windows of this time, whenever it ends.
    since: Timestamp,
    /// Amount charged: at first the reserved amount, at the end the used amount.
    amount: u64,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Open until this time, at which its holder counts as lost.
    Open(Timestamp),
    /// Expired at this time, because its holder was lost; the holder may still come back.
    Expired(Timestamp),
    Ended(Timestamp),
}

impl Holds {
    /// Takes out the first reservation whose holder is lost by now.
    pub(super) fn next_expired(&mut self, now: Timestamp) -> Option<OpId> {
        self.expiring.first().filter(|(when, _)| *when <= now)?;
        self.expiring.pop_first().map(|(_, id)| id)
    }

    /// Returns the number of open reservations.
    pub(super) fn open(&self) -> usize {
        self.expiring.len()
    }

    pub(super) fn has(&self, id: OpId) -> bool {
        self.all.contains_key(&id)
    }

    /// Drops a reservation that was to be dropped at `due`, unless it was extended meanwhile.
    pub(super) fn forget(&mut self, id: OpId, due: Timestamp) {
        let is_over = |held: &Held| match held.phase {
            Phase::Open(_) => false,
            Phase::Expired(when) | Phase::Ended(when) => when.after(REMEMBERED) == due,
        };
        if self.all.get(&id).is_some_and(is_over) {
            self.all.remove(&id);
        }
    }
}

impl State {
    pub(super) fn reserve(
        &mut self,
        id: OpId,
        scopes: &Arc<[Scope]>,
        amount: u64,
        ttl: Duration,
    ) -> StepResult {
        if let Some(held) = self.holds.all.get(&id) {
            return match held.phase {
                Phase::Open(_) => StepResult::Done,
                Phase::Expired(_) | Phase::Ended(_) => StepResult::Ended { actual: held.amount },
            };
        }
        if let Some(refused) = self.refusal(scopes, |_| amount) {
            return refused;
        }
        self.hold(id, scopes, amount, ttl);
        StepResult::Done
    }

    pub(super) fn lease(
        &mut self,
        id: OpId,
        scopes: &Arc<[Scope]>,
        least: u64,
        most: u64,
        share: u32,
        ttl: Duration,
    ) -> StepResult {
        if let Some(held) = self.holds.all.get(&id) {
            return match held.phase {
                Phase::Open(_) => StepResult::Granted(held.amount),
                Phase::Expired(_) | Phase::Ended(_) => StepResult::Ended { actual: held.amount },
            };
        }
        if let Some(refused) = self.refusal(scopes, |_| least) {
            return refused;
        }
        // A scope that is listed twice has half of the remaining amount for each.
        let left = scopes.iter().map(|scope| {
            let number = scope.window.number(self.now);
            let (used, _) = self.counters.get(&scope.key, scope.window, number, self.now);
            let times = scopes.iter().filter(|other| is_same(other, scope)).count();
            let times = u64::try_from(times).unwrap_or(u64::MAX).max(1);
            scope.limit.min(MAX_AMOUNT).saturating_sub(used) / times
        });
        let left = left.min().unwrap_or(MAX_AMOUNT);
        let share = u128::from(left) * u128::from(share) / 1_000;
        let share = u64::try_from(share).unwrap_or(u64::MAX);
        let granted = share.min(most).max(least).min(left);
        self.hold(id, scopes, granted, ttl);
        StepResult::Granted(granted)
    }

    pub(super) fn extend(&mut self, id: OpId, to: u64, ttl: Duration) -> StepResult {
        let Some(held) = self.holds.all.get(&id) else { return StepResult::Unknown };
        // An expired reservation is charged already, but its places were given back.
        let taken_back = match held.phase {
            Phase::Open(_) => false,
            Phase::Expired(_) => true,
            Phase::Ended(_) => return StepResult::Unknown,
        };
        let (scopes, since, amount, phase) = (Arc::clone(&held.scopes), held.since, held.amount, held.phase);
        let (to, more) = (to.max(amount), to.saturating_sub(amount));
        let needs = |scope: &Scope| match scope.kind {
            ScopeKind::Places if taken_back => to,
            _ => more,
        };
        if let Some(refused) = self.refusal_since(since, &scopes, needs) {
            return refused;
        }
        for scope in scopes.iter() {
            let number = scope.window.number(since);
            self.counters.charge(&scope.key, scope.window, number, self.now, &mut self.queue, |counter| {
                if taken_back && scope.kind == ScopeKind::Spent {
                    counter.spent = counter.spent.saturating_sub(amount);
                    counter.hold(to);
                } else {
                    counter.hold(needs(scope));
                }
            });
        }
        if let Phase::Open(when) = phase {
            self.holds.expiring.remove(&(when, id));
        }
        let expires = self.until(ttl);
        self.holds.expiring.insert((expires, id));
        if let Some(held) = self.holds.all.get_mut(&id) {
            (held.amount, held.phase) = (to.min(MAX_AMOUNT), Phase::Open(expires));
        }
        StepResult::Done
    }

    /// Ends a reservation. The first end counts; a later one changes nothing, and its answer has the amount
    /// of the first.
    pub(super) fn settle(&mut self, id: OpId, actual: u64) -> StepResult {
        let Some(held) = self.holds.all.get_mut(&id) else { return StepResult::Unknown };
        let actual = actual.min(MAX_AMOUNT);
        let was_open = match held.phase {
            Phase::Ended(_) if held.amount == actual => return StepResult::Done,
            Phase::Ended(_) => return StepResult::Ended { actual: held.amount },
            Phase::Open(when) => {
                self.holds.expiring.remove(&(when, id));
                true
            }
            Phase::Expired(_) => false,
        };
        let amount = std::mem::replace(&mut held.amount, actual);
        held.phase = Phase::Ended(self.now);
        self.past.remember(id, self.now);
        // The scopes of an ended reservation are not needed any more.
        for scope in std::mem::take(&mut held.scopes).iter() {
            let number = scope.window.number(held.since);
            self.counters.charge(&scope.key, scope.window, number, self.now, &mut self.queue, |counter| {
                if was_open {
                    counter.held = counter.held.saturating_sub(amount);
                } else if scope.kind == ScopeKind::Spent {
                    counter.spent = counter.spent.saturating_sub(amount);
                }
                if scope.kind == ScopeKind::Spent {
                    counter.spend(actual);
                }
            });
        }
        StepResult::Done
    }

    /// Expires a reservation, because its holder is lost.
    pub(super) fn expire(&mut self, id: OpId) {
        let Some(held) = self.holds.all.get_mut(&id) else { return };
        held.phase = Phase::Expired(self.now);
        self.past.remember(id, self.now);
        for scope in held.scopes.iter() {
            let number = scope.window.number(held.since);
            self.counters.charge(&scope.key, scope.window, number, self.now, &mut self.queue, |counter| {
                counter.held = counter.held.saturating_sub(held.amount);
                if scope.kind == ScopeKind::Spent {
                    counter.spend(held.amount);
                }
            });
        }
    }

    /// Sets the spent amount of a counter.
    pub(super) fn correct(&mut self, key: &Key, window: Window, spent: u64) {
        let number = window.number(self.now);
        let spent = spent.min(MAX_AMOUNT);
        self.counters.charge(key, window, number, self.now, &mut self.queue, |counter| counter.spent = spent);
    }

    fn hold(&mut self, id: OpId, scopes: &Arc<[Scope]>, amount: u64, ttl: Duration) {
        for scope in scopes.iter() {
            let number = scope.window.number(self.now);
            self.counters.charge(&scope.key, scope.window, number, self.now, &mut self.queue, |counter| {
                counter.hold(amount);
            });
        }
        let expires = self.until(ttl);
        self.holds.expiring.insert((expires, id));
        // Without scopes, the amount is not limited yet.
        let amount = amount.min(MAX_AMOUNT);
        let held = Held { scopes: Arc::clone(scopes), since: self.now, amount, phase: Phase::Open(expires) };
        self.holds.all.insert(id, held);
    }

    fn refusal(&self, scopes: &[Scope], needs: impl Fn(&Scope) -> u64) -> Option<StepResult> {
        self.refusal_since(self.now, scopes, needs)
    }

    /// Returns a refusal if the needs of `scopes` do not fit into the windows of `since`.
    fn refusal_since(
        &self,
        since: Timestamp,
        scopes: &[Scope],
        needs: impl Fn(&Scope) -> u64,
    ) -> Option<StepResult> {
        scopes.iter().enumerate().find_map(|(place, scope)| {
            let more = needs(scope);
            // A scope that needs nothing more is never refused, even if its counter is above the limit.
            if more == 0 {
                return None;
            }
            let before = scopes.iter().take(place).filter(|other| is_same(other, scope));
            let before = before.map(&needs).fold(0, u64::saturating_add);
            let number = scope.window.number(since);
            let (used, _) = self.counters.get(&scope.key, scope.window, number, self.now);
            let limit = scope.limit.min(MAX_AMOUNT);
            let fits = used.saturating_add(before).saturating_add(more) <= limit;
            (!fits).then_some(StepResult::Refused { scope: place, used, limit: scope.limit })
        })
    }
}

/// Whether two scopes use the same counter.
fn is_same(one: &Scope, other: &Scope) -> bool {
    one.key == other.key && one.window == other.window
}
