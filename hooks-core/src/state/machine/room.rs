//! The bound of a state in memory.
//!
//! A state has names that clients choose: sessions, agents, models. It keeps at most a fixed number of names.
//! At the bound, names of ended sessions are dropped first, then those that were unused for longest. A name
//! that was used within the last hour is not dropped: its session may still run, and would get a fresh
//! budget. If no name can be dropped, no new name is added.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::super::key::Key;
use super::super::operation::Op;
use super::due::Due;
use super::{LATEST, State};
use crate::time::Timestamp;

/// A session that was unused for a shorter time may still run.
const SILENT: Duration = Duration::from_secs(60 * 60);

/// Time after an unsuccessful search for names to drop in which there is no other search, ...
const PAUSE: Duration = Duration::from_secs(60);

/// ... unless this many sessions have ended since.
const ENDED_SINCE: usize = 1_024;

/// Fifths of the limit: if a search leaves more names than that, the next ones may be refused.
const TIGHT: usize = 4;

/// Number of ended sessions that are remembered.
const MOST_ENDED: usize = 65_536;

/// The limit of names, and the sessions that ended.
#[derive(Debug)]
pub(in super::super) struct Room {
    most: usize,
    /// Ended sessions by their id, as escaped in keys, with the escaped tenant and the time of the end.
    ended: HashMap<Box<str>, (Box<str>, Timestamp)>,
    /// Ended sessions in the order of their ends.
    order: VecDeque<Box<str>>,
    ended_since: usize,
    /// Time before which no search starts.
    pause: Timestamp,
    /// Number of names that the last search left, if it was too high and was not reported yet.
    tight: Option<usize>,
}

impl Room {
    pub(in super::super) fn with_limit(most: usize) -> Self {
        let (ended, order) = (HashMap::new(), VecDeque::new());
        Self { most, ended, order, ended_since: 0, pause: Timestamp(0), tight: None }
    }

    /// Returns the number of names, once after each search that left too many.
    pub(in super::super) fn take_tight(&mut self) -> Option<usize> {
        self.tight.take()
    }

    pub(in super::super) const fn most(&self) -> usize {
        self.most
    }

    /// Records the end of a session: its names may be dropped, unless they are used after that.
    ///
    /// A session whose id has no digit is ignored here, because the id may be an ordinary word in other keys.
    /// Its names are dropped when they are unused for long enough.
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

    /// Whether the name, last used at `touched`, belongs to a session that ended after that.
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
    /// Whether there is room for the names of `op`; names are dropped if necessary and possible.
    pub(in super::super) fn has_room(&mut self, op: &Op, now: Timestamp, room: &mut Room) -> bool {
        // Most operations add no name.
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

    /// Returns the number of queued checks.
    #[cfg(test)]
    pub(in super::super) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Drops up to a quarter of all names, so that the next search is not soon: those of ended sessions
    /// first, then those that were unused for longest.
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
        let mut room = Room::with_limit(8);
        for session in 0..MOST_ENDED + 10 {
            room.end(Some("acme"), &format!("s{session}"), Timestamp(1));
            room.end(Some("acme"), "s0", Timestamp(1));
        }
        assert_eq!((room.ended.len(), room.order.len()), (MOST_ENDED, MOST_ENDED));
        assert!(room.is_of_ended(&Key::new(Some("acme"), &["ask", "s20"]), Timestamp(0)));
        assert!(!room.is_of_ended(&Key::new(Some("acme"), &["ask", "s1"]), Timestamp(0)));
    }
}
