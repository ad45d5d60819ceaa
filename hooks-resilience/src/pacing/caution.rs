//! What refusals teach about a quota: how much of it may come at once, and then how much of it there is.
//!
//! A provider states a rate, never how much of it may come at once. So little is assumed at first. A refusal takes the burst back to
//! that, and each further one halves it, down to one request an interval; then they slow the rate down (additive increase,
//! multiplicative decrease, as TCP shares a line of unknown width). What was learned is one moment, which each refusal moves further
//! into the future and which time comes closer to: so instances merge what they learned by taking the later one.

use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;

/// How cautious refusals can make the users of a quota, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ladder {
    /// The time in which one refusal is forgotten.
    step: Duration,
    /// So many refusals halve the burst down to one request; those beyond slow the rate down.
    halvings: u32,
}

/// What is made of a rate after refusals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caution {
    halvings: u32,
    slowings: u32,
}

/// The least time in which a refusal is forgotten. Shorter, a burst that is too large would be tried again and again.
const STEP: Duration = Duration::from_secs(60);
/// A slow quota is not tried with more before so many requests of it.
const REQUESTS_A_STEP: u32 = 10;
/// What is older than this says nothing about a quota any more.
pub(crate) const LONGEST: Duration = Duration::from_secs(10 * 60);
/// The halvings of a quota of which no rate of requests is known.
const TOKENS_ALONE: u32 = 4;
/// The refusals that are assumed at first: an eighth of the burst.
const AT_FIRST: u32 = 3;
/// The most that refusals slow a rate down: to three quarters five times, that is to a quarter. A rate that is slower than that
/// is not what its provider states; its refusals say when to come back.
const SLOWINGS: u32 = 5;

impl Ladder {
    /// Of a quota of so many requests a minute, where that is known, with a burst of `burst` at most.
    pub(crate) fn new(requests_per_minute: Option<u64>, burst: Duration) -> Self {
        let Some(per_minute) = requests_per_minute.filter(|limit| *limit > 0) else {
            return Self { step: STEP, halvings: TOKENS_ALONE };
        };
        let interval = Duration::from_secs(60)
            .checked_div(u32::try_from(per_minute).unwrap_or(u32::MAX))
            .unwrap_or_default();
        let requests = nanos(burst).checked_div(nanos(interval)).unwrap_or_default();
        let halvings = u64::BITS - requests.saturating_sub(1).leading_zeros();
        Self { step: STEP.max(interval.saturating_mul(REQUESTS_A_STEP)).min(LONGEST), halvings }
    }

    /// Until when caution lasts that begins at `now`.
    pub(crate) fn at_first(self, now: Tick) -> Tick {
        now.after(self.length_at_first())
    }

    fn length_at_first(self) -> Duration {
        self.step.saturating_mul(AT_FIRST.min(self.halvings))
    }

    /// Until when caution lasts after one more refusal at `now`, where it lasted until `until`. It counts from when the quota is
    /// asked again, at `opens`: a time in which nothing is sent shows nothing. But [`LONGEST`] counts from the refusal, as long as that
    /// leaves one step. `is_first` where the quota let requests in before: only then the rate may be at fault. A quota that lets nobody in is shut, however slowly it is asked.
    pub(crate) fn refused(self, until: Tick, now: Tick, opens: Tick, is_first: bool) -> Tick {
        let most = if is_first { self.halvings + SLOWINGS } else { self.halvings };
        let most = self.step.saturating_mul(most).min(LONGEST);
        // What was forgotten since turned out to be true: nothing is left of the burst beyond what is assumed at first.
        let left = until.since(now).saturating_add(self.step).max(self.length_at_first()).min(most);
        let opens = opens.max(now);
        let longest = now.after(LONGEST).max(opens.after(self.step));
        opens.after(left).min(longest).max(until)
    }

    /// How cautious to be at `now`, where that lasts until `until`.
    pub(crate) fn caution(self, until: Tick, now: Tick) -> Caution {
        let steps = until.since(now).as_nanos().div_ceil(self.step.as_nanos().max(1));
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let slowings = steps.saturating_sub(self.halvings).min(SLOWINGS);
        Caution { halvings: steps.min(self.halvings), slowings }
    }
}

impl Caution {
    /// The interval and the burst of a rate, in nanoseconds, with this caution.
    pub(crate) fn applied_to(self, interval: u64, burst: u64) -> (u64, u64) {
        let slower = |interval: u64| interval.saturating_add(interval / 3);
        let slowed = (0..self.slowings).fold(interval, |interval, _| slower(interval));
        let burst = burst.checked_shr(self.halvings).unwrap_or_default();
        (slowed, burst.max(slowed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Tick = Tick(Duration::from_secs(1_000));
    /// 60 requests a minute, of which 32 may come at once.
    fn ladder() -> Ladder {
        Ladder::new(Some(60), Duration::from_secs(32))
    }

    fn second_and_burst(caution: Caution) -> (u64, u64) {
        caution.applied_to(1_000, 32_000)
    }

    #[test]
    fn a_refusal_takes_the_burst_back_to_where_it_began_and_further_ones_halve_it_and_slow_the_rate_down() {
        let (mut until, mut found) = (NOW, Vec::new());
        for _ in 0..12 {
            found.push(second_and_burst(ladder().caution(until, NOW)));
            until = ladder().refused(until, NOW, NOW, true);
        }
        let halved = [(1_000, 32_000), (1_000, 4_000), (1_000, 2_000), (1_000, 1_000)];
        let slowed = [(1_333, 1_333), (1_777, 1_777), (2_369, 2_369), (3_158, 3_158), (4_210, 4_210)];
        assert_eq!(found[..4], halved);
        assert_eq!(found[4..9], slowed);
        assert!(found[9..].iter().all(|it| *it == slowed[4]), "never slower than a quarter: {found:?}");
    }

    #[test]
    fn a_quota_that_lets_nobody_in_is_not_slowed_down() {
        let until = (0..12).fold(NOW, |until, _| ladder().refused(until, NOW, NOW, false));
        assert_eq!(second_and_burst(ladder().caution(until, NOW)), (1_000, 1_000));
    }

    #[test]
    fn a_refusal_is_forgotten_in_a_minute_and_all_of_them_in_ten() {
        let until = (0..20).fold(NOW, |until, _| ladder().refused(until, NOW, NOW, true));
        let later = |minutes: u64| NOW.after(Duration::from_secs(60 * minutes));
        assert_eq!(second_and_burst(ladder().caution(until, later(5))), (1_000, 1_000));
        assert_eq!(second_and_burst(ladder().caution(until, later(9))), (1_000, 32_000 / 2));
        for per_minute in [1, 2, 60, 100_000] {
            let ladder = Ladder::new(Some(per_minute), Duration::from_secs(5));
            let until = (0..50).fold(NOW, |until, _| ladder.refused(until, NOW, NOW, true));
            assert_eq!(ladder.caution(until, later(10)), Caution::default(), "{per_minute}");
        }
    }

    #[test]
    fn a_gate_that_is_shut_for_long_makes_nothing_forgotten() {
        let opens = NOW.after(Duration::from_secs(180));
        let until = ladder().refused(NOW, NOW, opens, true);
        assert_eq!(second_and_burst(ladder().caution(until, opens)), (1_000, 32_000 / 8));
    }

    #[test]
    fn ten_minutes_after_a_refusal_nothing_is_left_however_long_the_gate_was_shut() {
        // Three minutes shut, and two requests a minute: a refusal alone counts five minutes.
        let ladder = Ladder::new(Some(2), Duration::from_secs(5));
        let opens = NOW.after(Duration::from_secs(180));
        let until = (0..3).fold(NOW, |until, _| ladder.refused(until, NOW, opens, true));
        assert_ne!(ladder.caution(until, opens), Caution::default());
        assert_eq!(ladder.caution(until, NOW.after(LONGEST)), Caution::default());
    }

    #[test]
    fn a_burst_is_small_at_first() {
        let until = ladder().at_first(NOW);
        assert_eq!(second_and_burst(ladder().caution(until, NOW)), (1_000, 32_000 / 8));
        assert_eq!(ladder().caution(until, NOW.after(STEP * 3)), Caution::default());
    }

    #[test]
    fn the_ends_of_the_range_are_still_rates() {
        for per_minute in [None, Some(0), Some(1), Some(u64::MAX)] {
            let ladder = Ladder::new(per_minute, Duration::MAX);
            let until = ladder.refused(Tick(Duration::MAX), Tick(Duration::MAX), Tick(Duration::MAX), true);
            let (interval, burst) = ladder.caution(until, Tick::default()).applied_to(u64::MAX, u64::MAX);
            assert_eq!((interval, burst), (u64::MAX, u64::MAX));
        }
    }
}
