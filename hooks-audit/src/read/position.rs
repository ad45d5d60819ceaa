//! Positions of readers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Position of one record.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Name of the chain.
    pub chain: Arc<str>,
    /// Number of the record in the chain.
    pub seq: u64,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.chain, self.seq)
    }
}

/// Last record read of each chain; in JSON an object such as `{"w0": 17}`. The default is the beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Positions(BTreeMap<String, u64>);

impl Positions {
    /// Number of the last record of `chain` before this position; 0 if none.
    pub fn last_in(&self, chain: &str) -> u64 {
        self.0.get(chain).copied().unwrap_or(0)
    }

    /// Moves the position in `chain` behind record `seq`, unless it is further already.
    ///
    /// ```
    /// use hooks_audit::Positions;
    ///
    /// let mut positions = Positions::default();
    /// assert_eq!(positions.last_in("w0"), 0);
    /// positions.advance("w0", 17);
    /// // A position never moves back.
    /// positions.advance("w0", 3);
    /// assert_eq!(positions.iter().collect::<Vec<_>>(), [("w0", 17)]);
    /// ```
    pub fn advance(&mut self, chain: &str, seq: u64) {
        match self.0.get_mut(chain) {
            Some(at) => *at = seq.max(*at),
            None => {
                self.0.insert(chain.to_owned(), seq);
            }
        }
    }

    /// All chains and positions.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(chain, seq)| (chain.as_str(), *seq))
    }
}
