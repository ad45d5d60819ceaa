//! How many attempts beyond the first ones a provider gets.

use hooks_core::time::Tick;

use super::BudgetSettings;

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
        let each_milli = 60_000_000u64.checked_div(u64::from(settings.per_minute).saturating_mul(ONE));
        let Some(micros_each) = each_milli.filter(|micros| *micros > 0) else { return };
        let passed = u64::try_from(now.since(self.at).as_micros()).unwrap_or(u64::MAX);
        let earned = passed / micros_each;
        self.at = self.at.after(std::time::Duration::from_micros(earned.saturating_mul(micros_each)));
        self.saved = self.saved.saturating_add(earned).min(most(settings));
    }
}

fn most(settings: BudgetSettings) -> u64 {
    u64::from(settings.burst).saturating_mul(ONE)
}
