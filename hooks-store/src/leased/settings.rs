//! Size and duration of leases.

use std::time::Duration;

/// Size and duration of leases. The smallest of `share`, `horizon` and `most` applies.
///
/// ```
/// use hooks_store::LeaseSettings;
///
/// let settings = LeaseSettings::default();
/// assert_eq!((settings.share, settings.exact), (50, 100)); // thousandths
/// assert_eq!(settings.with_most(1_000).most, 1_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseSettings {
    /// Most thousandths of the remaining amount.
    pub share: u32,
    /// A lease is at most the amount that this instance spent in this time.
    pub horizon: Duration,
    /// Most that is leased at once.
    pub most: u64,
    /// If fewer thousandths of a limit are left, nothing is leased: each reservation is made in the store.
    pub exact: u32,
    /// Time after which the store considers this instance lost, and charges its leases.
    pub ttl: Duration,
    /// Time without use after which a lease is given back.
    pub idle: Duration,
    /// Most leases at a time, and most sets of scopes with a pool. Beyond it, each reservation is made in the
    /// store.
    pub leases: usize,
}

/// A twentieth of the remaining amount or the spending of a minute, whichever is less; nothing in the last
/// tenth.
impl Default for LeaseSettings {
    fn default() -> Self {
        Self {
            share: 50,
            horizon: Duration::from_secs(60),
            most: u64::MAX,
            exact: 100,
            ttl: Duration::from_secs(60),
            idle: Duration::from_secs(10),
            leases: 65_536,
        }
    }
}

impl LeaseSettings {
    /// Sets the most that is leased at once.
    #[must_use]
    pub const fn with_most(mut self, most: u64) -> Self {
        self.most = most;
        self
    }

    /// Has no more than `leases` at a time.
    #[must_use]
    pub const fn with_leases(mut self, leases: usize) -> Self {
        self.leases = leases;
        self
    }

    /// Whether so much of a limit is used that nothing is leased from the rest.
    pub(super) fn is_near(&self, used: u64, limit: u64) -> bool {
        let left = u128::from(limit.saturating_sub(used));
        left * 1_000 < u128::from(limit) * u128::from(self.exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_tenth_is_near() {
        let settings = LeaseSettings::default();
        assert!(!settings.is_near(0, 10) && !settings.is_near(9, 10) && settings.is_near(10, 10));
        assert!(!settings.is_near(900, 1_000) && settings.is_near(901, 1_000));
        assert!(settings.is_near(u64::MAX, u64::MAX) && !settings.is_near(0, u64::MAX));
    }
}
