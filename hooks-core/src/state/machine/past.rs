//! Ids of ended operations.

use std::collections::{HashSet, VecDeque};

use super::super::key::OpId;
use super::REMEMBERED;
use crate::time::Timestamp;

/// Ids of ended operations, in order, each with the time when it is dropped.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    order: VecDeque<(Timestamp, Over)>,
    /// Ids of corrections and removed entries.
    ids: HashSet<OpId>,
    /// Most ids that are remembered.
    most: Option<usize>,
}

/// An ended operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Over {
    /// A reservation, which records its own end.
    Hold(OpId),
    /// A correction or an entry.
    Id(OpId),
}

impl Past {
    /// Remembers at most this many ids.
    pub(super) fn with_limit(most: usize) -> Self {
        Self { most: Some(most), ..Self::default() }
    }

    /// Adds the id of a correction or an entry; returns false if the id is known.
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

    /// Schedules an ended reservation to be dropped.
    pub(super) fn remember(&mut self, id: OpId, now: Timestamp) {
        // The state's time never goes back, so the entries are in order of time.
        self.order.push_back((now.after(REMEMBERED), Over::Hold(id)));
    }

    /// Removes the oldest id if its time has come or if there are too many. Returns the id with the time when
    /// it would have been dropped. The caller drops a reservation itself.
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
