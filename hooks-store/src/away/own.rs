//! What this instance answers on its own while the store is away.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Answer, Key, Member, Memory, Op, StateStore as _};
use hooks_core::time::{Clock, Tick, Timestamp};

/// What this instance knows and counts on its own.
pub(super) struct Own {
    clock: Arc<dyn Clock>,
    rates: Option<Memory>,
    values: Option<Memory>,
    sets: HashMap<Key, Seen>,
    /// How many sets are kept before those that are stale are dropped.
    room: usize,
    /// How many instances there were last; 0 where that was never heard.
    pub(super) instances: u32,
}

/// A set as it was told last.
struct Seen {
    members: Vec<Member>,
    now: Timestamp,
    at: Tick,
}

/// Revisions of our own are above those of every store, so that neither is ever taken for the other.
const OWN: u64 = 1 << 53;

/// So many sets are kept at least.
const ROOM: usize = 1_024;

impl Own {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, rates: None, values: None, sets: HashMap::new(), room: ROOM, instances: 0 }
    }

    /// The share of a rate.
    pub(super) fn pace(&mut self, key: Key, cost: u32, interval: Duration, burst: u32) -> Option<Answer> {
        if self.instances == 0 {
            return None;
        }
        let interval = interval.checked_mul(self.instances).unwrap_or(Duration::MAX);
        // What is let through at all by the whole is let through by a share.
        let burst = (burst / self.instances).max(cost.min(burst));
        let rates = self.rates.get_or_insert_with(|| Memory::new(Arc::clone(&self.clock)));
        here(rates, Op::Pace { key, cost, interval, burst })
    }

    /// A value of our own.
    pub(super) fn value(&mut self, op: Op) -> Option<Answer> {
        let values = self.values.get_or_insert_with(|| Memory::new(Arc::clone(&self.clock)));
        let op = match op {
            Op::CompareAndSet { id, key, revision, value, ttl } => {
                // One of the store's is nobody's here, except where nothing was there.
                let revision =
                    if revision > 0 && revision < OWN { u64::MAX } else { revision.saturating_sub(OWN) };
                Op::CompareAndSet { id, key, revision, value, ttl }
            }
            op => op,
        };
        Some(match here(values, op)? {
            Answer::Written(revision) => Answer::Written(own(revision)),
            Answer::Conflict(revision) => Answer::Conflict(own(revision)),
            Answer::Value(Some((value, revision))) => Answer::Value(Some((value, own(revision)))),
            answer => answer,
        })
    }

    /// The store is back: what it says counts.
    pub(super) fn is_back(&mut self) {
        (self.rates, self.values) = (None, None);
    }

    /// Keeps a set as the store told it.
    pub(super) fn see(&mut self, set: Key, members: &[Member], now: Timestamp, kept: Duration) {
        let at = self.clock.tick();
        if self.sets.len() >= self.room {
            self.sets.retain(|_, seen| at.since(seen.at) <= kept);
            self.room = self.sets.len().saturating_mul(2).max(ROOM);
        }
        self.sets.insert(set, Seen { members: members.to_vec(), now, at });
    }

    /// A set as it was told no longer than `kept` ago.
    pub(super) fn seen(&self, set: &Key, kept: Duration) -> Option<Answer> {
        let seen = self.sets.get(set)?;
        let age = self.clock.tick().since(seen.at);
        (age <= kept).then(|| Answer::Members { members: seen.members.clone(), now: seen.now.after(age) })
    }

    /// A set was changed: what is known of it is not what it is.
    pub(super) fn unsee(&mut self, set: &Key) {
        self.sets.remove(set);
    }
}

/// The revision of our own; 0 where nothing is there.
fn own(revision: u64) -> u64 {
    if revision == 0 { 0 } else { revision.saturating_add(OWN) }
}

fn here(memory: &Memory, op: Op) -> Option<Answer> {
    match memory.apply(op) {
        HookFuture::Now(Some(Ok(answer))) => Some(answer),
        _ => None,
    }
}
