//! Time and randomness, as traits (law 9). This crate has no clock of its own.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::future::HookFuture;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Returns the time from `earlier` to this timestamp; zero if `earlier` is later, because the clock was
    /// set back.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// Returns the timestamp `wait` later.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// Returns the number of the month in UTC, counted from January of the year 0.
    pub fn month(self) -> u64 {
        let (year, month, _) = date(self.0 / DAY);
        year * 12 + month - 1
    }

    /// Returns the start of the month with this number; 1970-01-01 for months before 1970.
    pub fn of_month(number: u64) -> Self {
        Self(days_before(number).saturating_mul(DAY))
    }
}

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
/// Days from 0000-03-01 to 1970-01-01.
const DAYS_BEFORE_1970: u64 = 719_468;
const DAYS_OF_400_YEARS: u64 = 146_097;

/// Formats the time as RFC 3339, in UTC.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, of_day) = (self.0 / DAY, self.0 % DAY);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1_000 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", of_day % 1_000)
    }
}

/// Returns the Gregorian date so many days after 1970-01-01. Years begin in March here, so that a leap day is
/// the last day of its year (Hinnant, "chrono-compatible low-level date algorithms").
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_BEFORE_1970;
    let day_of_era = days % DAYS_OF_400_YEARS;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (days / DAYS_OF_400_YEARS * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// Returns the days from 1970-01-01 to the first day of a month, by its number: the inverse of [`date`].
fn days_before(month_number: u64) -> u64 {
    let (year, month) = (month_number / 12, month_number % 12 + 1);
    let (year, month_from_march) =
        if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    let year_of_era = year % 400;
    let day_of_year = (153 * month_from_march + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (year / 400).saturating_mul(DAYS_OF_400_YEARS).saturating_add(day_of_era).saturating_sub(DAYS_BEFORE_1970)
}

/// A point in time on a clock that never jumps, as the time since the clock started. Use it to measure waits,
/// deadlines and windows; stored times are [`Timestamp`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub Duration);

impl Tick {
    /// Returns the time from `earlier` to this tick; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the tick `wait` later.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }
}

/// Reads the current time.
pub trait Clock: Send + Sync {
    /// Returns the calendar time. The system clock may be set forward or back at any time.
    fn now(&self) -> Timestamp;

    /// Returns the time of a clock that cannot be set. The default implementation uses the calendar time.
    fn tick(&self) -> Tick {
        Tick(Duration::from_millis(self.now().0))
    }
}

/// A clock that stands still. A context has it until its host sets a real one.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoppedClock(pub Timestamp);

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Waits. All code in this workspace that waits uses this trait.
pub trait Timer: Send + Sync {
    /// Returns a future that is ready after `duration`.
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()>;
}

impl<T: Timer + ?Sized> Timer for std::sync::Arc<T> {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        (**self).sleep(duration)
    }
}

/// Random numbers for identifiers and jitter, not for secrets.
pub trait Random: Send + Sync {
    /// Returns 64 random bits.
    fn next_u64(&self) -> u64;

    /// Returns 128 random bits.
    fn next_u128(&self) -> u128 {
        (u128::from(self.next_u64()) << 64) | u128::from(self.next_u64())
    }
}

/// Pseudo-random numbers (SplitMix64, Steele, Lea and Flood 2014): the same seed gives the same numbers.
#[derive(Debug, Default)]
pub struct SeededRandom(std::sync::atomic::AtomicU64);

impl SeededRandom {
    /// A generator that starts from `seed`.
    pub const fn new(seed: u64) -> Self {
        Self(std::sync::atomic::AtomicU64::new(seed))
    }
}

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let state = self.0.fetch_add(STEP, std::sync::atomic::Ordering::Relaxed).wrapping_add(STEP);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_read_as_dates() {
        let shown = |milliseconds| Timestamp(milliseconds).to_string();
        assert_eq!(shown(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(shown(951_782_400_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(shown(1_709_251_199_999), "2024-02-29T23:59:59.999Z");
        assert_eq!(shown(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
        // The largest value formats without a panic.
        assert!(shown(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn months_begin_where_they_do() {
        for month in 1970 * 12..2400 * 12 {
            let begin = Timestamp::of_month(month);
            assert_eq!(begin.month(), month, "{begin}");
            assert!(begin.to_string().ends_with("-01T00:00:00.000Z"), "{begin}");
            assert!(begin.0 == 0 || Timestamp(begin.0 - 1).month() == month - 1, "{begin}");
        }
        assert_eq!(Timestamp::of_month(3), Timestamp(0));
        assert_eq!(Timestamp::of_month(u64::MAX), Timestamp(u64::MAX));
        let _no_panic = Timestamp(u64::MAX).month();
    }
}
