//! How large a lease is, and how long it lasts.

use std::time::Duration;

/// How large a lease is, and how long it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseSettings {
    /// No more than so many thousandths of what is left.
    pub share: u32,
    /// No more than what this instance spent in so long.
    pub horizon: Duration,
    /// No more than this, whatever else.
    pub most: u64,
    /// Within so many thousandths of a limit nothing is leased: each reservation is the store's.
    pub exact: u32,
    /// When the store takes this instance for lost, and charges what it had leased.
    pub ttl: Duration,
    /// What was not used for so long is given back.
    pub idle: Duration,
    /// No more leases at a time, and no more sets of scopes that are told apart: beyond it each reservation is the
    /// store's.
    pub leases: usize,
}

/// A twentieth of what is left or a minute's spending, whichever is less; nothing in the last tenth.
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
    /// Leases are no larger than `most`.
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

    /// Whether so much is charged to a limit that nothing is leased from what is left.
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
