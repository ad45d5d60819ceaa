//! The specification of every store: one pure step.
//!
//! [`State`] is divided like its operations: [`counters`] and the reservations in them ([`holds`]),
//! [`rates`], [`values`], [`sets`]. Ids of ended operations are remembered for a while in [`past`], so that a
//! late message is recognised. [`room`] bounds the memory.

mod counters;
mod due;
mod holds;
mod past;
mod rates;
mod room;
mod sets;
mod values;

use std::time::Duration;

use self::counters::Counters;
use self::due::{Due, Queue};
use self::holds::Holds;
use self::past::{Over, Past};
use self::rates::Rates;
pub use self::rates::{MAX_MICROS, pace_in_micros};
pub(super) use self::room::Room;
use self::sets::Sets;
use self::values::Values;
use super::key::Key;
use super::operation::{Op, StepResult};
use crate::time::Timestamp;

/// Time that ended operations are remembered, so that a repeated or late message is recognised.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// The latest time that a store returns. Every engine represents it exactly, including those with doubles as
/// numbers.
pub const LATEST: Timestamp = Timestamp((1 << 53) - 1);

/// The whole state of one store.
#[derive(Clone, Debug, Default)]
pub struct State {
    counters: Counters,
    holds: Holds,
    rates: Rates,
    values: Values,
    sets: Sets,
    past: Past,
    queue: Queue,
    /// Revision of the latest write of a value or a set.
    revision: u64,
    /// Latest time that was seen. If the clock goes back, this time is used.
    now: Timestamp,
}

impl State {
    /// A state that remembers at most this many ids of ended operations. Beyond that, it drops the oldest ids
    /// before their day is over. If a reservation arrives again after its id was dropped, it is a new
    /// reservation, and an expired reservation stays charged: no amount is given back by this.
    pub fn remembering(most: usize) -> Self {
        Self { past: Past::with_limit(most), ..Self::default() }
    }

    /// Does `op` at `now`.
    pub fn step(&mut self, op: &Op, now: Timestamp) -> StepResult {
        self.now = self.now.max(now.min(LATEST));
        self.forget();
        match op {
            Op::Reserve { id, scopes, amount, ttl } => self.reserve(*id, scopes, *amount, *ttl),
            Op::Lease { id, scopes, least, most, share, ttl } => {
                self.lease(*id, scopes, *least, *most, *share, *ttl)
            }
            Op::Extend { id, to, ttl } => self.extend(*id, *to, *ttl),
            Op::Settle { id, actual } => self.settle(*id, *actual),
            Op::Release { id } => self.settle(*id, 0),
            Op::Used { key, window } => {
                let (used, held) = self.counters.get(key, *window, window.number(self.now), self.now);
                StepResult::Used { used, held }
            }
            Op::Correct { id, key, window, spent } => {
                if self.past.enter(*id, self.now) {
                    self.correct(key, *window, *spent);
                }
                StepResult::Done
            }
            Op::Pace { key, cost, interval, burst } => {
                self.rates.pace(key, *cost, *interval, *burst, self.now, &mut self.queue)
            }
            Op::Put { key, value, ttl } => self.write(key, value, *ttl, None),
            Op::CompareAndSet { id, key, revision, value, ttl } => {
                match self.values.revision(key, self.now) {
                    current if self.values.is_by(key, *id, self.now) => StepResult::Written(current),
                    current if current == *revision => self.write(key, value, *ttl, Some(*id)),
                    current => StepResult::Conflict(current),
                }
            }
            Op::Get { key } => StepResult::Value(self.values.get(key, self.now)),
            Op::Insert { id, set, name, note, ttl } => self.insert(*id, set, name, note, *ttl),
            Op::Update { id, set, note, ttl } => self.update(*id, set, note.as_ref(), *ttl),
            Op::Remove { id, set } => self.remove(*id, set),
            Op::Members { set } => {
                StepResult::Members { members: self.sets.members(set, self.now), now: self.now }
            }
            Op::Changes { below, after } => self.changes(below, *after),
            Op::Counters { below } => StepResult::Counters(self.counters.below(below, self.now)),
            Op::Now => StepResult::Now(self.now),
        }
    }

    /// Returns the end of a period of `ttl` from now.
    fn until(&self, ttl: Duration) -> Timestamp {
        self.now.after(ttl).min(LATEST)
    }

    fn next_revision(&mut self) -> u64 {
        self.revision = self.revision.saturating_add(1);
        self.revision
    }

    fn changes(&self, below: &Key, after: u64) -> StepResult {
        let mut keys = self.values.changed(below, after, self.now);
        keys.extend(self.sets.changed(below, after, self.now));
        keys.sort_unstable();
        keys.dedup();
        StepResult::Changes { keys, revision: self.revision }
    }

    /// Expires reservations whose holder is lost, and drops everything that no operation can refer to any
    /// more.
    fn forget(&mut self) {
        while let Some(id) = self.holds.next_expired(self.now) {
            self.expire(id);
        }
        while let Some((due, over)) = self.past.next_forgotten(self.now) {
            if let Over::Hold(id) = over {
                self.holds.forget(id, due);
            }
        }
        while let Some(due) = self.queue.next(self.now) {
            // Items that are still needed return the time of their next check.
            let until = match &due {
                Due::Counter(key) => self.counters.forget(key, self.now),
                Due::Rate(key) => self.rates.forget(key, self.now),
                Due::Value(key) => self.values.forget(key, self.now),
                Due::Set(key) => self.sets.forget(key, self.now),
            };
            if let Some(until) = until {
                self.queue.add(until, due);
            }
        }
    }
}

#[cfg(test)]
mod tests;
