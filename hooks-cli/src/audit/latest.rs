//! The last records of a log, independent of the order in which its chains are read.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hooks::audit::Committed;

/// Collects the last records. Chains are read in the order of time, unless a damaged file delays one. So the
/// last records of each chain are kept, and merged at the end.
pub(super) struct Latest {
    most: usize,
    chains: BTreeMap<Arc<str>, Chain>,
}

/// The last records of one chain.
#[derive(Default)]
struct Chain {
    /// Time of the last record. Clocks can be set back, so a record counts as no earlier than the one before
    /// it.
    at: u64,
    records: VecDeque<(u64, Committed)>,
}

impl Latest {
    /// Keeps at most `most` records of each chain.
    pub(super) fn new(most: usize) -> Self {
        Self { most, chains: BTreeMap::new() }
    }

    /// Adds the next record of a chain.
    pub(super) fn push(&mut self, committed: Committed) {
        let chain = self.chains.entry(Arc::clone(&committed.chain)).or_default();
        chain.at = chain.at.max(committed.record.at.0);
        chain.records.push_back((chain.at, committed));
        if chain.records.len() > self.most {
            chain.records.pop_front();
        }
    }

    /// The last records of all chains, in the order of time.
    pub(super) fn in_order(self) -> impl Iterator<Item = Committed> {
        let mut all: Vec<_> = self.chains.into_values().flat_map(|chain| chain.records).collect();
        // The sort is stable, so the order within each chain is kept.
        all.sort_by_key(|(at, _)| *at);
        let excess = all.len().saturating_sub(self.most);
        all.into_iter().skip(excess).map(|(_, committed)| committed)
    }
}

#[cfg(test)]
mod tests {
    use hooks::audit::{Kept, Record};
    use hooks::time::Timestamp;

    use super::*;

    #[test]
    fn the_last_are_kept_whatever_chain_came_first() {
        let mut latest = Latest::new(3);
        let of = |chain: &str, moments: [u64; 4]| {
            moments.map(|at| Committed {
                chain: chain.into(),
                log: "".into(),
                record: Record::new("stop", Timestamp(at)),
                payload: Kept::Nothing,
            })
        };
        // The clock of the first record was set back.
        of("w1", [1, 9, 4, 10]).into_iter().chain(of("w0", [2, 3, 5, 8])).for_each(|it| latest.push(it));
        let moments: Vec<_> = latest.in_order().map(|committed| committed.record.at.0).collect();
        assert_eq!(moments, [9, 4, 10]);
    }
}
