//! What is answered while the store is away, by kind.

use std::time::Duration;

/// What is answered while the store is away, by kind. What is spent has no setting: it runs out its lease
/// ([`Leased`](crate::Leased)), whose size has, and then it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AwaySettings {
    /// Rates.
    pub rates: Rates,
    /// How long the members of a set are told as they were last; then they are not known.
    pub sets: Duration,
    /// Values.
    pub values: Values,
    /// So often this instance says that it is there, and asks who else is.
    pub heartbeat: Duration,
    /// So many ends of reservations are kept for the store to hear when it is back.
    pub kept: usize,
}

/// What becomes of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rates {
    /// This instance goes on with its share: the rate by the number of instances that were there last, and no fewer
    /// than so many. Where none were ever heard of, nothing is let through.
    Share(u32),
    /// Nothing is let through.
    Closed,
}

/// What becomes of values: the breakers of a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// This instance has its own, empty at first, and drops them when the store is back.
    Local,
    /// They are not known.
    Closed,
}

/// Rates by share, sets for 30 s, values local.
impl Default for AwaySettings {
    fn default() -> Self {
        Self {
            rates: Rates::Share(1),
            sets: Duration::from_secs(30),
            values: Values::Local,
            heartbeat: Duration::from_secs(30),
            kept: 100_000,
        }
    }
}

impl AwaySettings {
    /// Rates are answered so.
    #[must_use]
    pub const fn with_rates(mut self, rates: Rates) -> Self {
        self.rates = rates;
        self
    }

    /// Sets are told for so long.
    #[must_use]
    pub const fn with_sets(mut self, sets: Duration) -> Self {
        self.sets = sets;
        self
    }

    /// Values are answered so.
    #[must_use]
    pub const fn with_values(mut self, values: Values) -> Self {
        self.values = values;
        self
    }
}
