//! Caution after refusals: first the burst of a quota is reduced, then its rate.
//!
//! A provider states a rate, but never how much of it may come at once. So a small burst is assumed at first.
//! A refusal takes the burst below that. Each further refusal halves it, down to one request an interval;
//! after that, each refusal slows the rate down (additive increase, multiplicative decrease, as TCP shares a
//! line of unknown width).
//!
//! The state is one point in time. Each refusal moves it further into the future, and time comes closer to
//! it. So instances merge what they learned by taking the later point.

use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;

/// Limits of the caution for a quota: its strength, and the time for which it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ladder {
    /// Time after which one refusal is forgotten.
    step: Duration,
    /// Number of refusals that halve the burst down to one request; those beyond slow the rate down.
    halvings: u32,
}

/// Changes to a rate after refusals: halvings of its burst, and slowings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Caution {
    halvings: u32,
    slowings: u32,
    /// Time for which the rate is still slowed down, in nanoseconds.
    left: u64,
}

/// Shortest time after which a refusal is forgotten. If it were shorter, a burst that is too large would be
/// tried again and again.
const STEP: Duration = Duration::from_secs(60);
/// Number of requests of a slow quota before a larger burst is tried.
const REQUESTS_A_STEP: u32 = 10;
/// Longest time for which caution lasts: older refusals show nothing about a quota any more.
pub(crate) const LONGEST: Duration = Duration::from_secs(10 * 60);
/// Halvings for a quota without a known rate of requests.
const TOKENS_ALONE: u32 = 4;
/// Number of refusals that are assumed at first: a quarter of the burst. An eighth of the default burst is one
/// request of a quota of 150 a minute: a call then waits although every client that knows the rate would send it.
const AT_FIRST: u32 = 2;
/// Number of refusals that a refusal counts for at least: an eighth of the burst.
const AT_LEAST: u32 = 3;
/// Most slowings of a rate: five times to three quarters, that is to a quarter in all. If the real rate is
/// lower than that, it is not the rate that its provider states; then the refusals name the time of the next
/// request.
const SLOWINGS: u32 = 5;

impl Ladder {
    /// Creates the ladder of a quota with this many requests a minute, if that is known, and a burst of at
    /// most `burst`.
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

    /// End of the caution that begins at `now`.
    pub(crate) fn at_first(self, now: Tick) -> Tick {
        now.after(self.length_of(AT_FIRST))
    }

    /// Length of the caution for this many refusals that only halve the burst.
    fn length_of(self, refusals: u32) -> Duration {
        self.step.saturating_mul(refusals.min(self.halvings))
    }

    /// End of the caution after one more refusal at `now`, if it lasted until `until` before.
    ///
    /// The time counts from `opens`, when the quota is asked again, because a time without requests shows
    /// nothing. But [`LONGEST`] counts from the refusal, as long as that leaves one step after `opens`.
    /// `is_first` is whether the quota admitted requests before this refusal. Only then may the rate be at
    /// fault: a quota that admits nothing is shut, however slow the requests are.
    pub(crate) fn refused(self, until: Tick, now: Tick, opens: Tick, is_first: bool) -> Tick {
        let most = if is_first { self.halvings + SLOWINGS } else { self.halvings };
        let most = self.step.saturating_mul(most).min(LONGEST);
        // The refusals that were forgotten meanwhile turned out to be true: the burst is smaller than what is
        // assumed at first.
        let left = until.since(now).saturating_add(self.step).max(self.length_of(AT_LEAST)).min(most);
        let opens = opens.max(now);
        let longest = now.after(LONGEST).max(opens.after(self.step));
        opens.after(left).min(longest).max(until)
    }

    /// Caution at `now`, if it lasts until `until`.
    pub(crate) fn caution(self, until: Tick, now: Tick) -> Caution {
        let steps = until.since(now).as_nanos().div_ceil(self.step.as_nanos().max(1));
        let steps = u32::try_from(steps).unwrap_or(u32::MAX);
        let slowings = steps.saturating_sub(self.halvings).min(SLOWINGS);
        let left = if slowings > 0 { nanos(until.since(now)) } else { 0 };
        Caution { halvings: steps.min(self.halvings), slowings, left }
    }
}

impl Caution {
    /// Applies this caution to the interval and the burst of a rate, in nanoseconds. A slower interval ends with
    /// the caution: the last request before its end must not delay the next one beyond it.
    pub(crate) fn applied_to(self, interval: u64, burst: u64) -> (u64, u64) {
        let slower = |interval: u64| interval.saturating_add(interval / 3);
        let slowed = (0..self.slowings).fold(interval, |interval, _| slower(interval));
        let slowed = slowed.min(self.left.max(interval));
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
    fn a_refusal_takes_the_burst_below_where_it_began_and_further_ones_halve_it_and_slow_the_rate_down() {
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
    fn the_last_request_of_the_caution_owes_no_more_than_its_rest() {
        // Two requests a minute: a refusal slows the rate down from 30 to 40 s a request.
        let ladder = Ladder::new(Some(2), Duration::from_secs(5));
        let until = ladder.refused(NOW, NOW, NOW, true);
        for (before_end, interval) in [(100, 40), (41, 40), (35, 35), (20, 30), (1, 30), (0, 30)] {
            let now = Tick(until.0 - Duration::from_secs(before_end));
            assert_eq!(ladder.caution(until, now).applied_to(30_000_000_000, 0).0, interval * 1_000_000_000);
        }
    }

    #[test]
    fn a_burst_is_small_at_first() {
        let until = ladder().at_first(NOW);
        assert_eq!(second_and_burst(ladder().caution(until, NOW)), (1_000, 32_000 / 4));
        assert_eq!(ladder().caution(until, NOW.after(STEP * 2)), Caution::default());
    }

    #[test]
    fn a_quota_that_nothing_is_known_about_admits_a_few_calls_at_once() {
        // The quota of a simulated provider, and the default burst.
        let burst = crate::HealthSettings::default().burst;
        let ladder = Ladder::new(Some(150), burst);
        let (interval, burst) = ladder.caution(ladder.at_first(NOW), NOW).applied_to(400, 5_000);
        assert_eq!(burst / interval, 3);
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
