//! Ends of reservations that were not reported to the store yet.

use std::collections::{BTreeMap, HashMap};

use hooks_core::state::{Op, OpId};

/// The operations to send when the store is back, in their original order; one for each id.
#[derive(Debug, Default)]
pub(super) struct Ends {
    order: BTreeMap<u64, OpId>,
    /// Each with its place in the order.
    ops: HashMap<OpId, (u64, Op)>,
    last: u64,
}

impl Ends {
    /// Keeps an end; returns false if `most` are kept already.
    pub(super) fn keep(&mut self, id: OpId, op: Op, most: usize) -> bool {
        // The first end counts, as in the store. A release of a reservation that may never have been made
        // does not count as an end.
        if let Some((_, kept)) = self.ops.get_mut(&id) {
            if matches!(kept, Op::Release { .. }) {
                *kept = op;
            }
            return true;
        }
        if self.ops.len() >= most {
            return false;
        }
        self.last = self.last.saturating_add(1);
        self.ops.insert(id, (self.last, op));
        self.order.insert(self.last, id);
        true
    }

    /// Drops the end of a reservation that is requested again.
    pub(super) fn forget(&mut self, id: OpId) {
        if let Some((place, _)) = self.ops.remove(&id) {
            self.order.remove(&place);
        }
    }

    /// Returns the first end.
    pub(super) fn first(&self) -> Option<(OpId, Op)> {
        let (_, id) = self.order.first_key_value()?;
        self.ops.get(id).map(|(_, op)| (*id, op.clone()))
    }

    /// Whether no end is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_in_order_and_once() {
        let settle = |id, actual| Op::Settle { id: OpId(id), actual };
        let mut ends = Ends::default();
        assert!(ends.keep(OpId(1), settle(1, 5), 2));
        assert!(ends.keep(OpId(2), Op::Release { id: OpId(2) }, 2));
        assert!(ends.keep(OpId(1), settle(1, 7), 2) && ends.keep(OpId(2), settle(2, 3), 2));
        assert!(!ends.keep(OpId(3), settle(3, 1), 2));
        assert_eq!(ends.first(), Some((OpId(1), settle(1, 5))));
        ends.forget(OpId(1));
        assert_eq!(ends.first(), Some((OpId(2), settle(2, 3))));
        ends.forget(OpId(2));
        assert!(ends.is_empty());
        assert_eq!(ends.first(), None);
    }

    #[test]
    fn one_that_is_asked_for_over_and_over_takes_one_place() {
        let mut ends = Ends::default();
        assert!(ends.keep(OpId(0), Op::Release { id: OpId(0) }, 2));
        for _ in 0..1_000 {
            ends.forget(OpId(1));
            assert!(ends.keep(OpId(1), Op::Release { id: OpId(1) }, 2));
        }
        assert_eq!((ends.order.len(), ends.ops.len()), (2, 2));
    }
}
