//! The bound of a state that is kept in memory.
//!
//! A state counts what clients name: sessions, agents, models. It keeps at most a number of names. At the bound the
//! names of sessions that ended go first, then those that were silent for longest, but none that was silent for less
//! than an hour: its session may still be alive, and would have a fresh budget. Where none may go, nothing new is named.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::super::key::Key;
use super::super::operation::Op;
use super::due::Due;
use super::{LATEST, State};
use crate::time::Timestamp;

/// A session that was silent for less may still be alive.
const SILENT: Duration = Duration::from_secs(60 * 60);

/// A look through all names that found nothing to forget is not repeated for so long, ...
const PAUSE: Duration = Duration::from_secs(60);

/// ... unless so many sessions ended since.
const ENDED_SINCE: usize = 1_024;

/// Where a look leaves more than so many of five names, the next ones may be refused.
const TIGHT: usize = 4;

/// How many ends of sessions are remembered.
const MOST_ENDED: usize = 65_536;

/// How many names a state keeps, and which sessions ended.
#[derive(Debug)]
pub(in super::super) struct Room {
    most: usize,
    /// By the session's id as it is written in keys: its tenant, written so too, and when it ended.
    ended: HashMap<Box<str>, (Box<str>, Timestamp)>,
    /// In the order of their ends.
    order: VecDeque<Box<str>>,
    ended_since: usize,
    /// No look before that.
    pause: Timestamp,
    /// How many names the last look left, where that is told still.
    tight: Option<usize>,
}

impl Room {
    pub(in super::super) fn of(most: usize) -> Self {
        let (ended, order) = (HashMap::new(), VecDeque::new());
        Self { most, ended, order, ended_since: 0, pause: Timestamp(0), tight: None }
    }

    /// How many names there are, once after each look that found little to forget.
    pub(in super::super) fn take_tight(&mut self) -> Option<usize> {
        self.tight.take()
    }

    pub(in super::super) const fn most(&self) -> usize {
        self.most
    }

    /// A session ended: what it named may go, unless something happens to it after that.
    ///
    /// One whose id has no digit is left to its silence: it may be a word of other keys.
    pub(in super::super) fn end(&mut self, tenant: Option<&str>, session: &str, now: Timestamp) {
        if !session.contains(|c: char| c.is_ascii_digit()) {
            return;
        }
        let key = Key::new(tenant, &[session]);
        let Some((tenant, session)) = key.as_str().split_once('/') else { return };
        self.ended_since += 1;
        if self.ended.insert(session.into(), (tenant.into(), now)).is_none() {
            self.order.push_back(session.into());
        }
        if self.order.len() > MOST_ENDED
            && let Some(first) = self.order.pop_front()
        {
            self.ended.remove(&first);
        }
    }

    /// Whether a name that was touched last at `touched` is of a session that ended after that.
    fn is_of_ended(&self, key: &Key, touched: Timestamp) -> bool {
        let mut parts = key.as_str().split('/');
        let tenant = parts.next().unwrap_or_default();
        parts.any(|part| self.ended.get(part).is_some_and(|(of, when)| **of == *tenant && touched <= *when))
    }

    fn may_look(&self, now: Timestamp) -> bool {
        now >= self.pause || self.ended_since >= ENDED_SINCE
    }
}

impl State {
    /// Whether there is room for what `op` names, made where it can be.
    pub(in super::super) fn has_room(&mut self, op: &Op, now: Timestamp, room: &mut Room) -> bool {
        // Most operations name nothing new.
        let adds = match op {
            Op::Reserve { id, scopes, .. } | Op::Lease { id, scopes, .. } => {
                if self.holds.has(*id) {
                    return true;
                }
                if self.holds.open() >= room.most {
                    return false;
                }
                if self.names() + scopes.len() <= room.most {
                    return true;
                }
                scopes.iter().filter(|scope| !self.counters.has(&scope.key)).count()
            }
            Op::Correct { key, .. } => usize::from(!self.counters.has(key)),
            Op::Pace { key, .. } => usize::from(!self.rates.has(key)),
            Op::Put { key, .. } | Op::CompareAndSet { key, .. } => usize::from(!self.values.has(key)),
            Op::Insert { set, .. } => usize::from(!self.sets.has(set)),
            _ => 0,
        };
        if adds == 0 || self.names() + adds <= room.most {
            return true;
        }
        self.now = self.now.max(now.min(LATEST));
        self.forget();
        if self.names() + adds > room.most && room.may_look(self.now) {
            self.make_room(room);
        }
        self.names() + adds <= room.most
    }

    pub(in super::super) fn names(&self) -> usize {
        self.counters.len() + self.rates.len() + self.values.len() + self.sets.len()
    }

    /// How many things are to be looked at again.
    #[cfg(test)]
    pub(in super::super) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Forgets a quarter of all names, so that it is long until the next look: those of sessions that ended, and those
    /// that were silent for longest.
    fn make_room(&mut self, room: &mut Room) {
        let now = self.now;
        let counters = self.counters.idle(now).map(|(at, key)| (at, key, Due::Counter as fn(Key) -> Due));
        let values = self.values.idle().map(|(at, key)| (at, key, Due::Value as fn(Key) -> Due));
        let sets = self.sets.idle(now).map(|(at, key)| (at, key, Due::Set as fn(Key) -> Due));
        let mut idle: Vec<(bool, Timestamp, Due)> = counters
            .chain(values)
            .chain(sets)
            .filter_map(|(at, key, due)| {
                let is_alive = !room.is_of_ended(key, at);
                (!is_alive || at.after(SILENT) <= now).then(|| (is_alive, at, due(key.clone())))
            })
            .collect();
        let quarter = (room.most / 4).max(1);
        if idle.len() > quarter {
            idle.select_nth_unstable(quarter);
            idle.truncate(quarter);
        }
        for (_, _, due) in &idle {
            match due {
                Due::Counter(key) => self.counters.drop_all(key),
                Due::Value(key) => self.values.drop_all(key),
                Due::Set(key) => self.sets.drop_all(key),
                Due::Rate(_) => {}
            }
        }
        let Self { counters, rates, values, sets, queue, .. } = self;
        queue.retain(|due| match due {
            Due::Counter(key) => counters.has(key),
            Due::Rate(key) => rates.has(key),
            Due::Value(key) => values.has(key),
            Due::Set(key) => sets.has(key),
        });
        let left = self.names();
        room.tight = (left.saturating_mul(5) > room.most.saturating_mul(TIGHT)).then_some(left);
        room.ended_since = 0;
        room.pause = if idle.len() >= quarter { now } else { now.after(PAUSE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_ends_of_sessions_are_remembered() {
        let mut room = Room::of(8);
        for session in 0..MOST_ENDED + 10 {
            room.end(Some("acme"), &format!("s{session}"), Timestamp(1));
            room.end(Some("acme"), "s0", Timestamp(1));
        }
        assert_eq!((room.ended.len(), room.order.len()), (MOST_ENDED, MOST_ENDED));
        assert!(room.is_of_ended(&Key::new(Some("acme"), &["ask", "s20"]), Timestamp(0)));
        assert!(!room.is_of_ended(&Key::new(Some("acme"), &["ask", "s1"]), Timestamp(0)));
    }
}
