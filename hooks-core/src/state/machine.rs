//! The specification of every store: one pure step.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::operation::{Answer, Key, Member, Op, OpId, Scope};
use crate::time::Timestamp;

/// How long an ended or expired reservation is remembered, so that a message sent again or late finds it.
const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// All state of one store.
#[derive(Clone, Debug, Default)]
pub struct State {
    used: HashMap<Key, u64>,
    holds: HashMap<OpId, Held>,
    /// When each reservation is forgotten.
    forgotten: BTreeSet<(Timestamp, OpId)>,
    /// When each rate is full again (the theoretical arrival time).
    rates: HashMap<Key, Timestamp>,
    values: HashMap<Key, Stored>,
    sets: HashMap<Key, Vec<Member>>,
    /// The latest time that was seen: a clock that goes back is held.
    now: Timestamp,
}

#[derive(Clone, Debug)]
struct Held {
    scopes: Arc<[Scope]>,
    /// What is charged for it: what it took, in the end what it used.
    amount: u64,
    ended: bool,
    forgotten: Timestamp,
}

#[derive(Clone, Debug)]
struct Stored {
    value: Arc<str>,
    revision: u64,
    expires: Option<Timestamp>,
}

impl State {
    /// Does `op` at `now`.
    pub fn step(&mut self, op: &Op, now: Timestamp) -> Answer {
        self.now = self.now.max(now);
        self.forget();
        match op {
            Op::Reserve { id, scopes, amount, ttl } => self.reserve(*id, scopes, *amount, *ttl),
            Op::Extend { id, to } => self.extend(*id, *to),
            Op::Settle { id, actual } => self.settle(*id, *actual),
            Op::Release { id } => self.settle(*id, 0),
            Op::Used { key } => Answer::Used(self.used_of(key)),
            Op::Pace { key, cost, interval, burst } => self.pace(key, *cost, *interval, *burst),
            Op::Put { key, value, ttl } => self.put(key, value, *ttl),
            Op::CompareAndSet { key, revision, value, ttl } => {
                match self.value(key).map_or(0, |stored| stored.revision) {
                    current if current == *revision => self.put(key, value, *ttl),
                    current => Answer::Conflict(current),
                }
            }
            Op::Get { key } => {
                Answer::Value(self.value(key).map(|stored| (Arc::clone(&stored.value), stored.revision)))
            }
            Op::Insert { set, member } => self.insert(set, member),
            Op::Remove { set, name } => {
                if let Some(members) = self.sets.get_mut(set) {
                    members.retain(|member| member.name != *name);
                }
                Answer::Done
            }
            Op::Members { set } => Answer::Members(self.sets.get(set).cloned().unwrap_or_default()),
            Op::Now => Answer::Now(self.now),
        }
    }

    fn used_of(&self, key: &Key) -> u64 {
        self.used.get(key).copied().unwrap_or(0)
    }

    fn reserve(&mut self, id: OpId, scopes: &Arc<[Scope]>, amount: u64, ttl: Duration) -> Answer {
        match self.holds.get(&id) {
            Some(Held { ended: true, amount, .. }) => return Answer::Ended { actual: *amount },
            Some(_) => return Answer::Done,
            None => {}
        }
        if let Some(refused) = self.refusal(scopes, amount) {
            return refused;
        }
        for scope in scopes.iter() {
            self.charge(&scope.key, amount);
        }
        let forgotten = self.now.after(ttl.saturating_add(REMEMBERED));
        self.forgotten.insert((forgotten, id));
        self.holds.insert(id, Held { scopes: Arc::clone(scopes), amount, ended: false, forgotten });
        Answer::Done
    }

    /// Why `more` cannot be charged to all of `scopes`; a scope that is named twice is charged twice.
    fn refusal(&self, scopes: &[Scope], more: u64) -> Option<Answer> {
        scopes.iter().enumerate().find_map(|(place, scope)| {
            let before = scopes.iter().take(place).filter(|other| other.key == scope.key).count();
            let before = u64::try_from(before).unwrap_or(u64::MAX).saturating_mul(more);
            let used = self.used_of(&scope.key);
            let fits = used
                .checked_add(before)
                .and_then(|sum| sum.checked_add(more))
                .is_some_and(|sum| sum <= scope.limit);
            (!fits).then_some(Answer::Refused { scope: place, used, limit: scope.limit })
        })
    }

    fn charge(&mut self, key: &Key, amount: u64) {
        match self.used.get_mut(key) {
            Some(used) => *used = used.saturating_add(amount),
            None => {
                self.used.insert(key.clone(), amount);
            }
        }
    }

    fn extend(&mut self, id: OpId, to: u64) -> Answer {
        let Some(held) = self.holds.get(&id).filter(|held| !held.ended) else { return Answer::Unknown };
        let (scopes, more) = (Arc::clone(&held.scopes), to.saturating_sub(held.amount));
        // Sent again it asks for nothing more, also where the counter is over its limit by now.
        if more == 0 {
            return Answer::Done;
        }
        if let Some(refused) = self.refusal(&scopes, more) {
            return refused;
        }
        for scope in scopes.iter() {
            self.charge(&scope.key, more);
        }
        if let Some(held) = self.holds.get_mut(&id) {
            held.amount = held.amount.max(to);
        }
        Answer::Done
    }

    /// The first end of a reservation counts; what comes again changes nothing.
    fn settle(&mut self, id: OpId, actual: u64) -> Answer {
        let Some(held) = self.holds.get_mut(&id) else { return Answer::Unknown };
        if held.ended {
            return Answer::Done;
        }
        let scopes = Arc::clone(&held.scopes);
        let amount = std::mem::replace(&mut held.amount, actual);
        held.ended = true;
        for scope in scopes.iter() {
            if let Some(used) = self.used.get_mut(&scope.key) {
                *used = used.saturating_sub(amount).saturating_add(actual);
            }
        }
        Answer::Done
    }

    fn pace(&mut self, key: &Key, cost: u32, interval: Duration, burst: u32) -> Answer {
        // Wider than its parts, so that a rate slower than time itself does not wrap into no rate at all.
        let spacing = millis_up(interval);
        let full = self.rates.get(key).copied().unwrap_or_default().max(self.now);
        let after = u128::from(full.0).saturating_add(spacing.saturating_mul(u128::from(cost)));
        let earliest = after.saturating_sub(spacing.saturating_mul(u128::from(burst)));
        let wait = earliest.saturating_sub(u128::from(self.now.0));
        if wait > 0 {
            return Answer::Wait(Duration::from_millis(u64::try_from(wait).unwrap_or(u64::MAX)));
        }
        self.rates.insert(key.clone(), Timestamp(u64::try_from(after).unwrap_or(u64::MAX)));
        Answer::Done
    }

    fn value(&self, key: &Key) -> Option<&Stored> {
        self.values.get(key).filter(|stored| stored.expires.is_none_or(|expires| expires > self.now))
    }

    fn put(&mut self, key: &Key, value: &Arc<str>, ttl: Option<Duration>) -> Answer {
        let revision = self.values.get(key).map_or(1, |stored| stored.revision.saturating_add(1));
        let expires = ttl.map(|ttl| self.now.after(ttl));
        self.values.insert(key.clone(), Stored { value: Arc::clone(value), revision, expires });
        Answer::Done
    }

    fn insert(&mut self, set: &Key, member: &Member) -> Answer {
        let members = self.sets.entry(set.clone()).or_default();
        if !members.iter().any(|known| known.name == member.name) {
            members.push(Member { since: self.now, ..member.clone() });
        }
        Answer::Done
    }

    /// Forgets what nobody can ask about any more. What an expired reservation holds stays charged.
    fn forget(&mut self) {
        while let Some((when, id)) = self.forgotten.first().copied()
            && when <= self.now
        {
            self.forgotten.pop_first();
            if self.holds.get(&id).is_some_and(|held| held.forgotten <= self.now) {
                self.holds.remove(&id);
            }
        }
    }
}

/// Whole milliseconds, rounded up: a pace below the clock's grain must not become none.
fn millis_up(duration: Duration) -> u128 {
    duration.as_nanos().div_ceil(1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(limits: &[(&str, u64)]) -> Arc<[Scope]> {
        limits.iter().map(|(name, limit)| Scope { key: Key::new(None, &[name]), limit: *limit }).collect()
    }

    fn reserve(id: u128, scopes: &Arc<[Scope]>, amount: u64) -> Op {
        Op::Reserve { id: OpId(id), scopes: Arc::clone(scopes), amount, ttl: Duration::from_secs(60) }
    }

    fn used(state: &mut State, name: &str) -> Answer {
        state.step(&Op::Used { key: Key::new(None, &[name]) }, Timestamp(0))
    }

    #[test]
    fn all_scopes_or_none() {
        let (mut state, scopes) = (State::default(), scopes(&[("day", 10), ("session", 3)]));
        assert_eq!(state.step(&reserve(1, &scopes, 3), Timestamp(0)), Answer::Done);
        let refused = Answer::Refused { scope: 1, used: 3, limit: 3 };
        assert_eq!(state.step(&reserve(2, &scopes, 1), Timestamp(0)), refused);
        assert_eq!(used(&mut state, "day"), Answer::Used(3));
    }

    #[test]
    fn operations_are_idempotent() {
        let (mut state, scopes) = (State::default(), scopes(&[("day", 10)]));
        for _ in 0..3 {
            assert_eq!(state.step(&reserve(1, &scopes, 4), Timestamp(0)), Answer::Done);
        }
        assert_eq!(used(&mut state, "day"), Answer::Used(4));
        for actual in [3, 9] {
            assert_eq!(state.step(&Op::Settle { id: OpId(1), actual }, Timestamp(0)), Answer::Done);
        }
        assert_eq!(state.step(&reserve(1, &scopes, 4), Timestamp(0)), Answer::Ended { actual: 3 });
        assert_eq!(used(&mut state, "day"), Answer::Used(3));
    }

    #[test]
    fn an_expired_hold_is_charged_and_a_late_settle_corrects_it() {
        let (mut state, scopes) = (State::default(), scopes(&[("day", 10)]));
        state.step(&reserve(1, &scopes, 10), Timestamp(0));
        let late = Timestamp(3_600_000);
        assert!(matches!(state.step(&reserve(2, &scopes, 1), late), Answer::Refused { used: 10, .. }));
        assert_eq!(state.step(&Op::Settle { id: OpId(1), actual: 2 }, late), Answer::Done);
        assert_eq!(used(&mut state, "day"), Answer::Used(2));
    }

    #[test]
    fn a_limit_of_zero_is_none_at_all() {
        let (mut state, scopes) = (State::default(), scopes(&[("ask", 0)]));
        assert!(matches!(state.step(&reserve(1, &scopes, 1), Timestamp(0)), Answer::Refused { .. }));
    }

    #[test]
    fn a_rate_gives_its_burst_and_then_its_pace() {
        let mut state = State::default();
        let pace =
            Op::Pace { key: Key::new(None, &["rate"]), cost: 1, interval: Duration::from_secs(1), burst: 2 };
        assert_eq!(state.step(&pace, Timestamp(1_000)), Answer::Done);
        assert_eq!(state.step(&pace, Timestamp(1_000)), Answer::Done);
        assert_eq!(state.step(&pace, Timestamp(1_000)), Answer::Wait(Duration::from_secs(1)));
        assert_eq!(state.step(&pace, Timestamp(2_000)), Answer::Done);
    }

    #[test]
    fn a_rate_at_the_ends_of_its_range_is_still_a_rate() {
        for interval in [Duration::from_micros(1), Duration::MAX] {
            let mut state = State::default();
            let pace = Op::Pace { key: Key::new(None, &["rate"]), cost: 1, interval, burst: 1 };
            assert_eq!(state.step(&pace, Timestamp(1_000)), Answer::Done);
            assert!(matches!(state.step(&pace, Timestamp(1_000)), Answer::Wait(_)), "{interval:?}");
        }
    }

    #[test]
    fn an_extension_that_is_sent_again_asks_for_nothing_more() {
        let (mut state, scopes) = (State::default(), scopes(&[("day", 10)]));
        let extend = Op::Extend { id: OpId(1), to: 6 };
        state.step(&reserve(1, &scopes, 5), Timestamp(0));
        state.step(&reserve(2, &scopes, 4), Timestamp(0));
        assert_eq!(state.step(&extend, Timestamp(0)), Answer::Done);
        state.step(&Op::Settle { id: OpId(2), actual: 40 }, Timestamp(0));
        assert_eq!(state.step(&extend, Timestamp(0)), Answer::Done);
    }

    #[test]
    fn compare_and_set_refuses_what_is_old() {
        let (mut state, key) = (State::default(), Key::new(Some("acme"), &["flag"]));
        let set = |revision| Op::CompareAndSet { key: key.clone(), revision, value: "on".into(), ttl: None };
        assert_eq!(state.step(&set(0), Timestamp(0)), Answer::Done);
        assert_eq!(state.step(&set(0), Timestamp(0)), Answer::Conflict(1));
        assert_eq!(state.step(&set(1), Timestamp(0)), Answer::Done);
    }

    #[test]
    fn the_parts_of_a_key_do_not_run_into_each_other() {
        assert_ne!(Key::new(Some("a"), &["b/c"]), Key::new(Some("a"), &["b", "c"]));
        assert_ne!(Key::new(Some("a/b"), &["c"]), Key::new(Some("a"), &["b", "c"]));
        assert_ne!(Key::new(Some("a%2Fb"), &["c"]), Key::new(Some("a/b"), &["c"]));
        assert_ne!(OpId::of(&["ab", "c"]), OpId::of(&["a", "bc"]));
    }
}
