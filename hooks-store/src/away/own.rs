//! State that this instance keeps itself while the store is unavailable.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Key, Member, Memory, Op, StateStore as _, StepResult};
use hooks_core::time::{Clock, Tick, Timestamp};

/// Rates, values and known sets of this instance.
pub(super) struct Own {
    clock: Arc<dyn Clock>,
    rates: Option<Memory>,
    values: Option<Memory>,
    sets: HashMap<Key, Seen>,
    /// Number of sets that are kept before stale ones are dropped.
    room: usize,
    /// Last known number of instances; 0 if it was never read.
    pub(super) instances: u32,
}

/// A set in its last known state.
struct Seen {
    members: Arc<Vec<Member>>,
    now: Timestamp,
    at: Tick,
}

/// Offset of local revisions. They are above those of every store, so that the two are never confused.
const OWN: u64 = 1 << 53;

/// Least number of sets that are kept.
const ROOM: usize = 1_024;

impl Own {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, rates: None, values: None, sets: HashMap::new(), room: ROOM, instances: 0 }
    }

    /// Applies this instance's share of a rate.
    pub(super) fn pace(&mut self, key: Key, cost: u32, interval: Duration, burst: u32) -> Option<StepResult> {
        if self.instances == 0 {
            return None;
        }
        let interval = interval.checked_mul(self.instances).unwrap_or(Duration::MAX);
        // A call that fits into the whole burst also fits into a share.
        let burst = (burst / self.instances).max(cost.min(burst));
        let rates = self.rates.get_or_insert_with(|| Memory::new(Arc::clone(&self.clock)));
        here(rates, Op::Pace { key, cost, interval, burst })
    }

    /// Reads or writes a local value.
    pub(super) fn value(&mut self, op: Op) -> Option<StepResult> {
        let values = self.values.get_or_insert_with(|| Memory::new(Arc::clone(&self.clock)));
        let op = match op {
            Op::CompareAndSet { id, key, revision, value, ttl } => {
                // A revision of the store matches no local value; revision 0 matches a missing value in both.
                let revision =
                    if revision > 0 && revision < OWN { u64::MAX } else { revision.saturating_sub(OWN) };
                Op::CompareAndSet { id, key, revision, value, ttl }
            }
            op => op,
        };
        Some(match here(values, op)? {
            StepResult::Written(revision) => StepResult::Written(own(revision)),
            StepResult::Conflict(revision) => StepResult::Conflict(own(revision)),
            StepResult::Value(Some((value, revision))) => StepResult::Value(Some((value, own(revision)))),
            answer => answer,
        })
    }

    /// The store is back: local rates and values are dropped.
    pub(super) fn is_back(&mut self) {
        (self.rates, self.values) = (None, None);
    }

    /// Records a set as the store returned it.
    pub(super) fn see(&mut self, set: Key, members: &Arc<Vec<Member>>, now: Timestamp, kept: Duration) {
        let at = self.clock.tick();
        if self.sets.len() >= self.room {
            self.sets.retain(|_, seen| at.since(seen.at) <= kept);
            self.room = self.sets.len().saturating_mul(2).max(ROOM);
        }
        self.sets.insert(set, Seen { members: Arc::clone(members), now, at });
    }

    /// Returns a set that was read at most `kept` ago.
    pub(super) fn seen(&self, set: &Key, kept: Duration) -> Option<StepResult> {
        let seen = self.sets.get(set)?;
        let age = self.clock.tick().since(seen.at);
        (age <= kept)
            .then(|| StepResult::Members { members: Arc::clone(&seen.members), now: seen.now.after(age) })
    }

    /// Drops a set that was changed, because the known state is outdated.
    pub(super) fn unsee(&mut self, set: &Key) {
        self.sets.remove(set);
    }
}

/// Returns the local revision; 0 if there is no value.
fn own(revision: u64) -> u64 {
    if revision == 0 { 0 } else { revision.saturating_add(OWN) }
}

fn here(memory: &Memory, op: Op) -> Option<StepResult> {
    match memory.apply(op) {
        HookFuture::Now(Some(Ok(answer))) => Some(answer),
        _ => None,
    }
}
