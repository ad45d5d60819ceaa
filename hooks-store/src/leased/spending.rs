//! How much was spent lately.

use std::time::Duration;

use hooks_core::time::Tick;

/// What was spent in the present stretch of time and in the one before it.
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

    /// About how much in the last `horizon`: all of the present stretch, or of the one before it where that was more.
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
