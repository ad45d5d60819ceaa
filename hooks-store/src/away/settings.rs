//! Settings for the time in which the store is unavailable, by kind of state.

use std::time::Duration;

/// Settings for the time in which the store is unavailable, by kind of state. Spent amounts have no setting
/// here: this instance uses up its lease ([`Leased`](crate::Leased)), and then reservations are refused.
///
/// ```
/// use std::time::Duration;
/// use hooks_store::{AwaySettings, Rates, Values};
///
/// let settings = AwaySettings::default();
/// assert_eq!((settings.rates, settings.values), (Rates::Share(1), Values::Local));
/// let strict = settings.with_rates(Rates::Closed).with_sets(Duration::ZERO);
/// assert_eq!(strict.rates, Rates::Closed);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AwaySettings {
    /// Behaviour of rates.
    pub rates: Rates,
    /// Time that the last known members of a set stay valid; then they are unknown.
    pub sets: Duration,
    /// Behaviour of values.
    pub values: Values,
    /// Interval at which this instance reports that it is running, and counts the others.
    pub heartbeat: Duration,
    /// Most ends of reservations that are kept until the store is back.
    pub kept: usize,
}

/// Behaviour of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rates {
    /// This instance continues with its share: the rate divided by the last known number of instances, and at
    /// least by this number. If the number of instances was never read, all calls are refused.
    Share(u32),
    /// All calls are refused.
    Closed,
}

/// Behaviour of values, such as the breakers of several instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// This instance has its own values, empty at first, and drops them when the store is back.
    Local,
    /// Values are unknown.
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
    /// Sets the behaviour of rates.
    #[must_use]
    pub const fn with_rates(mut self, rates: Rates) -> Self {
        self.rates = rates;
        self
    }

    /// Sets the time that known sets stay valid.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use hooks_store::AwaySettings;
    ///
    /// let settings = AwaySettings::default().with_sets(Duration::from_secs(5));
    /// assert_eq!(settings.sets, Duration::from_secs(5));
    /// ```
    #[must_use]
    pub const fn with_sets(mut self, sets: Duration) -> Self {
        self.sets = sets;
        self
    }

    /// Sets the behaviour of values.
    #[must_use]
    pub const fn with_values(mut self, values: Values) -> Self {
        self.values = values;
        self
    }
}
