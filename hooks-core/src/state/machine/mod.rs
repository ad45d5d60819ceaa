//! The specification of every store: one pure step.
//!
//! [`State`] is cut as its operations are: [`counters`] and the [`holds`] on them, [`rates`], [`values`], [`sets`].
//! What is over is remembered for a while in [`past`], so that a late message finds out. [`room`] bounds it all.

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
use super::operation::{Answer, Op};
use crate::time::Timestamp;

/// How long what is over is remembered, so that a message sent again or late finds it.
pub const REMEMBERED: Duration = Duration::from_secs(24 * 60 * 60);

/// The latest time that is told: what every engine holds exactly, also one whose numbers are doubles.
pub const LATEST: Timestamp = Timestamp((1 << 53) - 1);

/// All state of one store.
#[derive(Clone, Debug, Default)]
pub struct State {
    counters: Counters,
    holds: Holds,
    rates: Rates,
    values: Values,
    sets: Sets,
    past: Past,
    queue: Queue,
    /// Of the latest write of a value or a set.
    revision: u64,
    /// The latest time that was seen: a clock that goes back is held.
    now: Timestamp,
}

impl State {
    /// A state that remembers at most so many ids of what is over: beyond that it forgets the first of them before
    /// their day is over. Then a reservation that arrives again long after its end is a new one, and one that expired
    /// stays charged: nothing comes free.
    pub fn remembering(most: usize) -> Self {
        Self { past: Past::of(most), ..Self::default() }
    }

    /// Does `op` at `now`.
    pub fn step(&mut self, op: &Op, now: Timestamp) -> Answer {
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
                Answer::Used { used, held }
            }
            Op::Correct { id, key, window, spent } => {
                if self.past.enter(*id, self.now) {
                    self.correct(key, *window, *spent);
                }
                Answer::Done
            }
            Op::Pace { key, cost, interval, burst } => {
                self.rates.pace(key, *cost, *interval, *burst, self.now, &mut self.queue)
            }
            Op::Put { key, value, ttl } => self.write(key, value, *ttl, None),
            Op::CompareAndSet { id, key, revision, value, ttl } => {
                match self.values.revision(key, self.now) {
                    current if self.values.is_by(key, *id, self.now) => Answer::Written(current),
                    current if current == *revision => self.write(key, value, *ttl, Some(*id)),
                    current => Answer::Conflict(current),
                }
            }
            Op::Get { key } => Answer::Value(self.values.get(key, self.now)),
            Op::Insert { id, set, name, note, ttl } => self.insert(*id, set, name, note, *ttl),
            Op::Update { id, set, note, ttl } => self.update(*id, set, note.as_ref(), *ttl),
            Op::Remove { id, set } => self.remove(*id, set),
            Op::Members { set } => {
                Answer::Members { members: self.sets.members(set, self.now), now: self.now }
            }
            Op::Changes { below, after } => self.changes(below, *after),
            Op::Counters { below } => Answer::Counters(self.counters.below(below, self.now)),
            Op::Now => Answer::Now(self.now),
        }
    }

    /// When what lasts for `ttl` from now is over.
    fn until(&self, ttl: Duration) -> Timestamp {
        self.now.after(ttl).min(LATEST)
    }

    fn next_revision(&mut self) -> u64 {
        self.revision = self.revision.saturating_add(1);
        self.revision
    }

    fn changes(&self, below: &Key, after: u64) -> Answer {
        let mut keys = self.values.changed(below, after, self.now);
        keys.extend(self.sets.changed(below, after, self.now));
        keys.sort_unstable();
        keys.dedup();
        Answer::Changes { keys, revision: self.revision }
    }

    /// Lets go of what is over: reservations whose holder is lost, and what nobody can ask about any more.
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
            // What is still needed says until when.
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
