//! The size that a conversation has to reach.

use crate::call::Needs;

/// Computes how small is small enough. It compares our count of the messages with the host's count of the
/// whole call, which includes tools and prompts outside of the messages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Original size of the messages, by our count.
    counted: u64,
    /// Original size of the whole call: the host's count, or ours.
    stated: u64,
    /// Part of the model's window that is left for the input.
    window: Option<u64>,
    /// Smallest size that was refused as too large.
    refused: Option<u64>,
    percent: u8,
}

impl Budget {
    pub(super) fn new(counted: u64, needs: &Needs, window: Option<u64>, percent: u8) -> Self {
        let stated = match needs.input_tokens {
            0 => counted,
            stated => stated,
        };
        let window = window.map(|window| window.saturating_sub(needs.output_tokens));
        Self { counted, stated, window, refused: None, percent }
    }

    /// The window, if known.
    pub(super) const fn window(&self) -> Option<u64> {
        self.window
    }

    /// Records that a conversation of `counted` tokens was refused.
    pub(super) fn refuse(&mut self, counted: u64) {
        let stated = self.stated(counted);
        self.refused = Some(self.refused.map_or(stated, |refused| refused.min(stated)));
    }

    /// Size of the whole call once the messages take `counted` tokens. Parts outside of the messages stay. If
    /// our count is larger than the host's, the size shrinks in proportion to ours. The larger of both
    /// results is used, so that a conversation becomes too small rather than being refused again.
    pub(super) fn stated(&self, counted: u64) -> u64 {
        let saved = self.counted.saturating_sub(counted);
        let scaled = u128::from(self.stated) * u128::from(counted) / u128::from(self.counted.max(1));
        let scaled = u64::try_from(scaled).unwrap_or(u64::MAX);
        self.stated.saturating_sub(saved).max(scaled)
    }

    /// Whether messages of `counted` tokens leave room for further turns.
    pub(super) fn is_met_by(&self, counted: u64) -> bool {
        self.stated(counted) <= self.target()
    }

    /// Whether messages of `counted` tokens may fit at all.
    pub(super) fn may_hold(&self, counted: u64) -> bool {
        let stated = self.stated(counted);
        self.window.is_none_or(|window| stated <= window)
            && self.refused.is_none_or(|refused| stated < refused)
    }

    /// The size that the whole call should not exceed.
    pub(super) fn target(&self) -> u64 {
        u64::try_from(u128::from(self.limit()) * u128::from(self.percent) / 100).unwrap_or(u64::MAX)
    }

    /// Number of tokens that a summary may take beside messages of `counted` tokens: the rest of the target.
    /// If the messages nearly fill the target, it is half of the rest of the limit.
    pub(super) fn room_beside(&self, counted: u64) -> u64 {
        let stated = self.stated(counted);
        self.target().saturating_sub(stated).max(self.limit().saturating_sub(stated) / 2)
    }

    fn limit(&self) -> u64 {
        [self.window, self.refused].into_iter().flatten().min().unwrap_or(self.stated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(counted: u64, stated: u64, window: Option<u64>) -> Budget {
        let needs = Needs { input_tokens: stated, output_tokens: 100, ..Needs::default() };
        Budget::new(counted, &needs, window, 50)
    }

    #[test]
    fn the_target_is_a_part_of_the_window_or_of_what_was_refused() {
        let mut budget = budget(1_000, 0, Some(900));
        assert_eq!((budget.window(), budget.target()), (Some(800), 400));
        budget.refuse(500);
        assert_eq!(budget.target(), 250);
        budget.refuse(700);
        assert_eq!(budget.target(), 250, "the smallest refusal counts");
        assert!(budget.is_met_by(250) && !budget.is_met_by(251));
        assert!(budget.may_hold(499) && !budget.may_hold(500));
    }

    #[test]
    fn what_stands_in_no_message_does_not_shrink() {
        let more = budget(1_000, 1_500, None);
        assert_eq!((more.stated(1_000), more.stated(400), more.stated(0)), (1_500, 900, 500));
    }

    #[test]
    fn who_counts_more_than_the_host_does_not_save_more() {
        let less = budget(1_000, 500, None);
        assert_eq!((less.stated(1_000), less.stated(500), less.stated(0)), (500, 250, 0));
    }
}
