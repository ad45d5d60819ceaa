//! Stored results, within limits: the least recently used is removed first.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use hooks_core::drivers::ToolResult;
use hooks_core::time::Tick;

use super::depends::Dependence;
use super::key::Key;

/// Results by key.
#[derive(Debug, Default)]
pub(super) struct Lru {
    entries: HashMap<Key, Entry>,
    /// The keys in the order of their last use.
    used: BTreeMap<u64, Key>,
    turn: u64,
    bytes: u64,
}

/// One result. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) result: Arc<ToolResult>,
    pub(super) dependence: Arc<Dependence>,
    /// Tick at which the result expires.
    pub(super) until: Option<Tick>,
    pub(super) session: Arc<Session>,
    pub(super) bytes: u64,
    turn: u64,
}

/// A session of a tenant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Session {
    pub(super) tenant: Option<String>,
    pub(super) id: String,
}

impl Entry {
    pub(super) fn new(
        result: Arc<ToolResult>,
        dependence: Arc<Dependence>,
        until: Option<Tick>,
        session: Arc<Session>,
        bytes: u64,
    ) -> Self {
        Self { result, dependence, until, session, bytes, turn: 0 }
    }
}

impl Lru {
    pub(super) fn get(&self, key: &Key) -> Option<&Entry> {
        self.entries.get(key)
    }

    /// Marks the entry as used.
    pub(super) fn touch(&mut self, key: &Key) {
        self.turn += 1;
        if let Some(entry) = self.entries.get_mut(key) {
            self.used.remove(&entry.turn);
            entry.turn = self.turn;
            self.used.insert(self.turn, *key);
        }
    }

    /// Stores an entry; returns the number of others removed to make room.
    pub(super) fn put(&mut self, key: Key, mut entry: Entry, most: usize, most_bytes: u64) -> u64 {
        self.remove(&key);
        self.turn += 1;
        entry.turn = self.turn;
        self.bytes = self.bytes.saturating_add(entry.bytes);
        self.used.insert(self.turn, key);
        self.entries.insert(key, entry);
        let mut gone = 0;
        while self.entries.len() > most || self.bytes > most_bytes {
            let Some((_, oldest)) = self.used.pop_first() else { break };
            if let Some(entry) = self.entries.remove(&oldest) {
                self.bytes = self.bytes.saturating_sub(entry.bytes);
                gone += 1;
            }
        }
        gone
    }

    pub(super) fn remove(&mut self, key: &Key) -> bool {
        let Some(entry) = self.entries.remove(key) else { return false };
        self.used.remove(&entry.turn);
        self.bytes = self.bytes.saturating_sub(entry.bytes);
        true
    }

    /// Removes the unwanted entries; returns their number.
    pub(super) fn remove_where(&mut self, is_unwanted: impl Fn(&Entry) -> bool) -> u64 {
        let unwanted = self.entries.iter().filter(|(_, entry)| is_unwanted(entry));
        let keys: Vec<_> = unwanted.map(|(key, _)| *key).collect();
        keys.iter().map(|key| u64::from(self.remove(key))).sum()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }
}
