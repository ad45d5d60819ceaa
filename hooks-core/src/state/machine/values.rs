//! Values: a text each, with the revision of its last write.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::super::key::{Key, OpId};
use super::super::operation::Answer;
use super::State;
use super::due::Due;
use crate::time::Timestamp;

#[derive(Clone, Debug, Default)]
pub(super) struct Values(HashMap<Key, Stored>);

#[derive(Clone, Debug)]
struct Stored {
    value: Arc<str>,
    revision: u64,
    /// The write that brought it, where that had an id.
    by: Option<OpId>,
    expires: Option<Timestamp>,
    /// When it was read or written last.
    touched: Timestamp,
}

impl Values {
    pub(super) fn get(&mut self, key: &Key, now: Timestamp) -> Option<(Arc<str>, u64)> {
        let stored = self.0.get_mut(key).filter(|stored| !stored.is_over(now))?;
        stored.touched = now;
        Some((Arc::clone(&stored.value), stored.revision))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }

    /// The values that may be forgotten before their time, each with when it was read or written last.
    pub(super) fn idle(&self) -> impl Iterator<Item = (Timestamp, &Key)> {
        let ending = self.0.iter().filter(|(_, stored)| stored.expires.is_some());
        ending.map(|(key, stored)| (stored.touched, key))
    }

    pub(super) fn drop_all(&mut self, key: &Key) {
        self.0.remove(key);
    }

    /// The revision that stands; 0 where nothing does.
    pub(super) fn revision(&self, key: &Key, now: Timestamp) -> u64 {
        self.live(key, now).map_or(0, |stored| stored.revision)
    }

    /// Whether `id` brought what stands.
    pub(super) fn is_by(&self, key: &Key, id: OpId, now: Timestamp) -> bool {
        self.live(key, now).is_some_and(|stored| stored.by == Some(id))
    }

    pub(super) fn changed(&self, below: &Key, after: u64, now: Timestamp) -> Vec<Key> {
        let changed = self
            .0
            .iter()
            .filter(|(key, stored)| stored.revision > after && key.is_below(below) && !stored.is_over(now));
        changed.map(|(key, _)| key.clone()).collect()
    }

    /// Drops a value whose time is up. Until when it stays, where it does and has an end.
    pub(super) fn forget(&mut self, key: &Key, now: Timestamp) -> Option<Timestamp> {
        let expires = self.0.get(key)?.expires?;
        if expires <= now {
            self.0.remove(key);
            return None;
        }
        Some(expires)
    }

    fn live(&self, key: &Key, now: Timestamp) -> Option<&Stored> {
        self.0.get(key).filter(|stored| !stored.is_over(now))
    }
}

impl Stored {
    fn is_over(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl State {
    pub(super) fn write(
        &mut self,
        key: &Key,
        value: &Arc<str>,
        ttl: Option<Duration>,
        by: Option<OpId>,
    ) -> Answer {
        let revision = self.next_revision();
        let expires = ttl.map(|ttl| self.until(ttl));
        let stored = Stored { value: Arc::clone(value), revision, by, expires, touched: self.now };
        let before = self.values.0.insert(key.clone(), stored);
        let is_queued = before.is_some_and(|before| before.expires.is_some());
        if let Some(expires) = expires.filter(|_| !is_queued) {
            self.queue.add(expires, Due::Value(key.clone()));
        }
        Answer::Written(revision)
    }
}
