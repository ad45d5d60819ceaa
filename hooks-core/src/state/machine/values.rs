//! Values: texts, each with the revision of its last write.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use super::super::key::{Key, OpId};
use super::super::operation::StepResult;
use super::State;
use super::due::Due;
use crate::time::Timestamp;

#[derive(Clone, Debug, Default)]
pub(super) struct Values(HashMap<Key, Stored>);

#[derive(Clone, Debug)]
struct Stored {
    value: Arc<str>,
    revision: u64,
    /// Id of the write that stored it, if that had one.
    by: Option<OpId>,
    expires: Option<Timestamp>,
    /// Time of the last read or write.
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

    /// Returns the values that may be dropped early, each with the time of its last read or write.
    pub(super) fn idle(&self) -> impl Iterator<Item = (Timestamp, &Key)> {
        let ending = self.0.iter().filter(|(_, stored)| stored.expires.is_some());
        ending.map(|(key, stored)| (stored.touched, key))
    }

    pub(super) fn drop_all(&mut self, key: &Key) {
        self.0.remove(key);
    }

    /// Returns the current revision; 0 if there is no value.
    pub(super) fn revision(&self, key: &Key, now: Timestamp) -> u64 {
        self.live(key, now).map_or(0, |stored| stored.revision)
    }

    /// Whether the operation `id` wrote the current value.
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

    /// Drops an expired value. Returns its expiry if it stays and has one.
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
    ) -> StepResult {
        let revision = self.next_revision();
        let expires = ttl.map(|ttl| self.until(ttl));
        let stored = Stored { value: Arc::clone(value), revision, by, expires, touched: self.now };
        let before = self.values.0.insert(key.clone(), stored);
        let is_queued = before.is_some_and(|before| before.expires.is_some());
        if let Some(expires) = expires.filter(|_| !is_queued) {
            self.queue.add(expires, Due::Value(key.clone()));
        }
        StepResult::Written(revision)
    }
}
