//! The ids of what is over.

use std::collections::{HashSet, VecDeque};

use super::super::key::OpId;
use super::REMEMBERED;
use crate::time::Timestamp;

/// Ids that are over, in the order of their ends, with the time when they are forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    order: VecDeque<(Timestamp, Over)>,
    /// Corrections and removed entries.
    ids: HashSet<OpId>,
    /// So many are remembered at most.
    most: Option<usize>,
}

/// What is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Over {
    /// A reservation, which tells by itself that it is.
    Hold(OpId),
    /// A correction or an entry.
    Id(OpId),
}

impl Past {
    /// Remembers so many at most.
    pub(super) fn of(most: usize) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    /// Enters the id of a correction or an entry; false where it is known.
    pub(super) fn enter(&mut self, id: OpId, now: Timestamp) -> bool {
        let is_new = self.ids.insert(id);
        if is_new {
            self.order.push_back((now.after(REMEMBERED), Over::Id(id)));
        }
        is_new
    }

    pub(super) fn has(&self, id: OpId) -> bool {
        self.ids.contains(&id)
    }

    /// Has a reservation forgotten in time.
    pub(super) fn remember(&mut self, id: OpId, now: Timestamp) {
        // The state's time never goes back, so the order of entry is that of time.
        self.order.push_back((now.after(REMEMBERED), Over::Hold(id)));
    }

    /// Forgets what was over first, if it is time or there are too many; with the time when it would have been. A
    /// reservation is left to be forgotten by who keeps it.
    pub(super) fn next_forgotten(&mut self, now: Timestamp) -> Option<(Timestamp, Over)> {
        let are_too_many = self.most.is_some_and(|most| self.order.len() > most);
        self.order.front().filter(|(when, _)| are_too_many || *when <= now)?;
        let (when, over) = self.order.pop_front()?;
        if let Over::Id(id) = over {
            self.ids.remove(&id);
        }
        Some((when, over))
    }
}
