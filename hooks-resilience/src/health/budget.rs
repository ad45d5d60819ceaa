//! How many attempts beyond the first ones a provider gets.

use hooks_core::time::Tick;

use super::BudgetSettings;
use crate::duration::nanos;

/// The attempts that are saved up, in thousandths.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    saved: u64,
    at: Tick,
}

/// What one attempt costs.
const ONE: u64 = 1_000;

impl Budget {
    /// Starts with all that may be saved up.
    pub(crate) fn new(settings: BudgetSettings) -> Self {
        Self { saved: most(settings), at: Tick::default() }
    }

    /// A first attempt: it earns its share.
    pub(crate) fn first(&mut self, settings: BudgetSettings) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked: a ratio is from 0 to 10"
        )]
        let share = (settings.ratio * ONE as f64) as u64;
        self.saved = self.saved.saturating_add(share).min(most(settings));
    }

    /// Whether all is saved up that may be.
    pub(crate) fn is_full(&self, settings: BudgetSettings) -> bool {
        self.saved >= most(settings)
    }

    /// Takes an attempt; false where none is left.
    pub(crate) fn another(&mut self, now: Tick, settings: BudgetSettings) -> bool {
        self.earn(now, settings);
        let left = self.saved.checked_sub(ONE);
        self.saved = left.unwrap_or(self.saved);
        left.is_some()
    }

    /// What comes with time. The rest of a division stays: time moves on by what was earned only.
    fn earn(&mut self, now: Tick, settings: BudgetSettings) {
        let each_milli = 60_000_000_000u64.checked_div(u64::from(settings.per_minute).saturating_mul(ONE));
        // However many a minute: the time of each is at least the least there is.
        let Some(nanos_each) = each_milli.map(|nanos| nanos.max(1)) else { return };
        let passed = nanos(now.since(self.at));
        let earned = passed / nanos_each;
        self.at = self.at.after(std::time::Duration::from_nanos(earned.saturating_mul(nanos_each)));
        self.saved = self.saved.saturating_add(earned).min(most(settings));
    }
}

fn most(settings: BudgetSettings) -> u64 {
    u64::from(settings.burst).saturating_mul(ONE)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn however_many_a_minute_they_come_with_time() {
        for per_minute in [60, 60_001, u32::MAX] {
            let settings = BudgetSettings { ratio: 0.0, per_minute, burst: 1 };
            let mut budget = Budget::new(settings);
            assert!(budget.another(Tick::default(), settings));
            assert!(!budget.another(Tick::default(), settings));
            assert!(budget.another(Tick(Duration::from_secs(1)), settings), "{per_minute}");
        }
    }
}
