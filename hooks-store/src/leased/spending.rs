//! Measurement of recent spending.

use std::time::Duration;

use hooks_core::time::Tick;

/// The amounts spent in the current period and in the one before it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spending {
    began: Tick,
    present: u64,
    before: u64,
}

impl Spending {
    pub(super) fn add(&mut self, amount: u64, now: Tick, horizon: Duration) {
        self.turn(now, horizon);
        self.present = self.present.saturating_add(amount);
    }

    /// Returns about the amount of the last `horizon`: that of the current period or that of the one before,
    /// whichever is more.
    pub(super) fn lately(&mut self, now: Tick, horizon: Duration) -> u64 {
        self.turn(now, horizon);
        self.present.max(self.before)
    }

    fn turn(&mut self, now: Tick, horizon: Duration) {
        let passed = now.since(self.began);
        if passed >= horizon.saturating_mul(2) {
            *self = Self { began: now, ..Self::default() };
        } else if passed >= horizon {
            *self = Self { began: self.began.after(horizon), present: 0, before: self.present };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_ago_does_not_count() {
        let minute = Duration::from_secs(60);
        let mut spending = Spending::default();
        spending.add(3, Tick(minute / 2), minute);
        spending.add(4, Tick(minute / 2), minute);
        assert_eq!(spending.lately(Tick(minute / 2), minute), 7);
        spending.add(1, Tick(minute), minute);
        assert_eq!(spending.lately(Tick(minute), minute), 7);
        assert_eq!(spending.lately(Tick(minute * 2), minute), 1);
        assert_eq!(spending.lately(Tick(minute * 9), minute), 0);
        spending.add(5, Tick(minute * 9), Duration::ZERO);
    }
}
