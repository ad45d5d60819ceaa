//! The retry budget of a provider: attempts beyond the first.

use hooks_core::time::Tick;

use super::RetryBudgetConfig;
use crate::duration::nanos;

/// Saved attempts, in thousandths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    saved: u64,
    at: Tick,
}

/// Cost of one attempt.
const ONE: u64 = 1_000;

impl Budget {
    /// Starts with a full budget.
    pub(crate) fn new(settings: RetryBudgetConfig) -> Self {
        Self { saved: most(settings), at: Tick::default() }
    }

    /// Earns the share of a first attempt.
    pub(crate) fn first(&mut self, settings: RetryBudgetConfig) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked: a ratio is from 0 to 10"
        )]
        let share = (settings.ratio * ONE as f64) as u64;
        self.saved = self.saved.saturating_add(share).min(most(settings));
    }

    /// Whether the budget is full.
    pub(crate) fn is_full(&self, settings: RetryBudgetConfig) -> bool {
        self.saved >= most(settings)
    }

    /// Takes an attempt; returns false if none is left.
    pub(crate) fn another(&mut self, now: Tick, settings: RetryBudgetConfig) -> bool {
        self.earn(now, settings);
        let left = self.saved.checked_sub(ONE);
        self.saved = left.unwrap_or(self.saved);
        left.is_some()
    }

    /// Earns attempts for the time that passed. The remainder of the division is kept: `at` advances only by
    /// the time that was paid out.
    fn earn(&mut self, now: Tick, settings: RetryBudgetConfig) {
        let each_milli = 60_000_000_000u64.checked_div(u64::from(settings.per_minute).saturating_mul(ONE));
        // However large the rate, an attempt takes at least a nanosecond.
        let Some(nanos_each) = each_milli.map(|nanos| nanos.max(1)) else { return };
        let passed = nanos(now.since(self.at));
        let earned = passed / nanos_each;
        self.at = self.at.after(std::time::Duration::from_nanos(earned.saturating_mul(nanos_each)));
        self.saved = self.saved.saturating_add(earned).min(most(settings));
    }
}

fn most(settings: RetryBudgetConfig) -> u64 {
    u64::from(settings.burst).saturating_mul(ONE)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn however_many_a_minute_they_come_with_time() {
        for per_minute in [60, 60_001, u32::MAX] {
            let settings = RetryBudgetConfig { ratio: 0.0, per_minute, burst: 1 };
            let mut budget = Budget::new(settings);
            assert!(budget.another(Tick::default(), settings));
            assert!(!budget.another(Tick::default(), settings));
            assert!(budget.another(Tick(Duration::from_secs(1)), settings), "{per_minute}");
        }
    }
}
