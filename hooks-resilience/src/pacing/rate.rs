//! One rate, by the generic cell rate algorithm: a single number, the time at which all units are paid.

use std::time::Duration;

use super::Caution;
use crate::duration::nanos;

/// A number of units per minute. Taken units are paid back one by one; up to a burst may be owed. Times are
/// in nanoseconds, so that a caller of several rates converts them once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// Time in which one unit is paid back, in nanoseconds.
    interval: u64,
    /// Most that may be owed, in nanoseconds.
    burst: u64,
    /// When all taken units are paid.
    paid: u64,
}

const MINUTE: u64 = 60_000_000_000;

impl Rate {
    /// Creates a rate of `per_minute` units. As many as are paid back in `burst`, and at least one, may be
    /// taken at once.
    pub(crate) fn new(per_minute: u64, burst: Duration) -> Self {
        let interval = MINUTE.div_ceil(per_minute.max(1));
        Self { interval, burst: nanos(burst).max(interval), paid: 0 }
    }

    /// Replaces the rate `before`; units taken from that are still to be paid.
    pub(crate) fn owing(self, before: Option<Self>) -> Self {
        Self { paid: before.map_or(self.paid, |before| before.paid), ..self }
    }

    /// The rate with `caution` applied.
    pub(crate) fn with(self, caution: Caution) -> Self {
        let (interval, burst) = caution.applied_to(self.interval, self.burst);
        Self { interval, burst, ..self }
    }

    /// When `units` may be taken. More than a burst may be taken once all is paid.
    pub(crate) fn ready_at(&self, units: u64, now: u64) -> u64 {
        let owed = self.interval.saturating_mul(units).min(self.burst);
        let earliest = self.paid.saturating_add(owed).saturating_sub(self.burst);
        earliest.max(now)
    }

    /// Takes `units`, also ahead of time, at the pace that `caution` allows.
    pub(crate) fn take(&mut self, units: u64, now: u64, caution: Caution) {
        let owed = self.with(caution).interval.saturating_mul(units);
        self.paid = self.paid.max(now).saturating_add(owed);
    }

    /// When all taken units are paid: from then on there is room for any amount.
    pub(crate) const fn paid(&self) -> u64 {
        self.paid
    }

    /// Returns units.
    pub(crate) fn give_back(&mut self, units: u64) {
        self.paid = self.paid.saturating_sub(self.interval.saturating_mul(units));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> u64 {
        seconds * 1_000_000_000
    }

    #[test]
    fn it_gives_its_burst_and_then_its_pace() {
        let mut rate = Rate::new(60, Duration::from_secs(2));
        for expected in [0, 0, 1, 2] {
            assert_eq!(rate.ready_at(1, at(0)), at(expected));
            rate.take(1, at(0), Caution::default());
        }
        assert_eq!(rate.ready_at(1, at(10)), at(10));
    }

    #[test]
    fn what_is_given_back_is_there_again() {
        let mut rate = Rate::new(60, Duration::from_secs(1));
        rate.take(1, at(0), Caution::default());
        rate.take(1, at(0), Caution::default());
        rate.give_back(1);
        assert_eq!(rate.ready_at(1, at(0)), at(1));
    }

    #[test]
    fn more_than_a_burst_goes_once_all_is_paid_and_is_paid_in_full() {
        let mut rate = Rate::new(60, Duration::from_secs(2));
        rate.take(1, at(0), Caution::default());
        assert_eq!(rate.ready_at(30, at(0)), at(1));
        rate.take(30, at(1), Caution::default());
        assert_eq!(rate.ready_at(2, at(1)), at(31));
    }

    #[test]
    fn the_ends_of_the_range_are_still_rates() {
        for (per_minute, units) in [(0, u64::MAX), (u64::MAX, u64::MAX), (1, 0)] {
            let mut rate = Rate::new(per_minute, Duration::MAX);
            rate.take(units, u64::MAX, Caution::default());
            assert!(rate.ready_at(units, at(0)) >= at(0));
        }
    }
}
