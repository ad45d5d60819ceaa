//! Queue of checks.

use std::collections::BTreeSet;

use super::super::key::Key;
use crate::time::Timestamp;

/// An item to check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Due {
    Counter(Key),
    Rate(Key),
    Value(Key),
    Set(Key),
}

/// The items to check, by time. Each item is in the queue once, from its creation to its end: if it is still
/// needed after a check, it is added again with its next time.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue(BTreeSet<(Timestamp, Due)>);

impl Queue {
    pub(super) fn add(&mut self, when: Timestamp, due: Due) {
        self.0.insert((when, due));
    }

    /// Keeps the items that still exist.
    pub(super) fn retain(&mut self, is_there: impl Fn(&Due) -> bool) {
        self.0.retain(|(_, due)| is_there(due));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn next(&mut self, now: Timestamp) -> Option<Due> {
        self.0.first().is_some_and(|(when, _)| *when <= now).then(|| self.0.pop_first())?.map(|(_, due)| due)
    }
}
