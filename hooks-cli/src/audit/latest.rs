//! The last records of a log, whatever order its chains were read in.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use hooks::audit::Committed;

/// Keeps the last records. Chains are read in the order of time, unless a damaged file keeps one back: so the last of each
/// chain are kept, and brought together when all are there.
pub(super) struct Latest {
    most: usize,
    chains: BTreeMap<Arc<str>, Chain>,
}

/// The last records of one chain.
#[derive(Default)]
struct Chain {
    /// When the last one happened. Clocks are set back: a record is taken to be no earlier than the one before.
    at: u64,
    records: VecDeque<(u64, Committed)>,
}

impl Latest {
    /// Keeps `most` records: of each chain, while it is read.
    pub(super) fn new(most: usize) -> Self {
        Self { most, chains: BTreeMap::new() }
    }

    /// Takes the next record of a chain.
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
        // Stable, so that the order within each chain is kept.
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
                record: Record::new("stop", Timestamp(at)),
                payload: Kept::Nothing,
            })
        };
        // The clock of the first was set back.
        of("w1", [1, 9, 4, 10]).into_iter().chain(of("w0", [2, 3, 5, 8])).for_each(|it| latest.push(it));
        let moments: Vec<_> = latest.in_order().map(|committed| committed.record.at.0).collect();
        assert_eq!(moments, [9, 4, 10]);
    }
}
