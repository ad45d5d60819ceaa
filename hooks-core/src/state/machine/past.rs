//! The ids of what is over.

use std::collections::{HashSet, VecDeque};

use super::super::key::OpId;
use super::REMEMBERED;
use crate::time::Timestamp;

/// Ids that are over, in the order of their ends, with the time when they are forgotten.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    order: VecDeque<(Timestamp, OpId)>,
    /// Corrections and removed entries. (A reservation that is over is told by itself.)
    ids: HashSet<OpId>,
}

impl Past {
    /// Enters the id of a correction or an entry; false where it is known.
    pub(super) fn enter(&mut self, id: OpId, now: Timestamp) -> bool {
        let is_new = self.ids.insert(id);
        if is_new {
            self.remember(id, now);
        }
        is_new
    }

    pub(super) fn has(&self, id: OpId) -> bool {
        self.ids.contains(&id)
    }

    /// Has a reservation forgotten in time.
    pub(super) fn remember(&mut self, id: OpId, now: Timestamp) {
        // The state's time never goes back, so the order of entry is that of time.
        self.order.push_back((now.after(REMEMBERED), id));
    }

    pub(super) fn next_forgotten(&mut self, now: Timestamp) -> Option<OpId> {
        self.order.front().filter(|(when, _)| *when <= now)?;
        let (_, id) = self.order.pop_front()?;
        self.ids.remove(&id);
        Some(id)
    }
}
