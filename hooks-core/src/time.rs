//! Time and randomness, as traits (law 9). This crate has no clock of its own.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::future::HookFuture;

/// A moment: milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// The time from `earlier` to here; nothing where the clock went backwards.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }

    /// This much later.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)))
    }

    /// The number of its month in UTC, counted from the first of the year 0.
    pub fn month(self) -> u64 {
        let (year, month, _) = date(self.0 / DAY);
        year * 12 + month - 1
    }

    /// When the month with that number begins; 1970 where it is before that.
    pub fn of_month(number: u64) -> Self {
        Self(days_before(number).saturating_mul(DAY))
    }
}

/// Milliseconds.
const DAY: u64 = 86_400_000;
/// From 0000-03-01 on.
const DAYS_BEFORE_1970: u64 = 719_468;
const DAYS_OF_400_YEARS: u64 = 146_097;

/// As RFC 3339 has it, in UTC.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, of_day) = (self.0 / DAY, self.0 % DAY);
        let (year, month, day) = date(days);
        let (hour, minute, second) = (of_day / 3_600_000, of_day / 60_000 % 60, of_day / 1_000 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", of_day % 1_000)
    }
}

/// The date so many days after 1970-01-01 in the Gregorian calendar. Years begin in March here, so that the day
/// that comes every four years is their last (Hinnant, "chrono-compatible low-level date algorithms").
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

/// The days from 1970-01-01 to the first of a month, by its number: [`date`] the other way around.
fn days_before(month_number: u64) -> u64 {
    let (year, month) = (month_number / 12, month_number % 12 + 1);
    let (year, month_from_march) =
        if month > 2 { (year, month - 3) } else { (year.saturating_sub(1), month + 9) };
    let year_of_era = year % 400;
    let day_of_year = (153 * month_from_march + 2) / 5;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    (year / 400).saturating_mul(DAYS_OF_400_YEARS).saturating_add(day_of_era).saturating_sub(DAYS_BEFORE_1970)
}

/// A moment on a clock that never jumps: the time since it was started. What lasts (a wait, a deadline, a window)
/// is measured with it; what is written down has a [`Timestamp`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(pub Duration);

impl Tick {
    /// The time from `earlier` to here; nothing where `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// This much later.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Now, as a calendar has it; somebody may set it forward and back.
    fn now(&self) -> Timestamp;

    /// Now, on a clock that nobody sets. A clock that has no other gives the time of its calendar.
    fn tick(&self) -> Tick {
        Tick(Duration::from_millis(self.now().0))
    }
}

/// A clock that stands still: what a context has until its host gives it a real one.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoppedClock(pub Timestamp);

impl Clock for StoppedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Waits. Everything in this workspace that waits does it through this.
pub trait Timer: Send + Sync {
    /// A future that is ready after `duration`.
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()>;
}

impl<T: Timer + ?Sized> Timer for std::sync::Arc<T> {
    fn sleep(&self, duration: Duration) -> HookFuture<'static, ()> {
        (**self).sleep(duration)
    }
}

/// Random numbers: for identifiers and jitter, not for secrets.
pub trait Random: Send + Sync {
    /// 64 random bits.
    fn next_u64(&self) -> u64;

    /// 128 random bits.
    fn next_u128(&self) -> u128 {
        (u128::from(self.next_u64()) << 64) | u128::from(self.next_u64())
    }
}

/// Numbers that follow from a seed (SplitMix64, Steele, Lea and Flood 2014): the same seed, the same run.
#[derive(Debug, Default)]
pub struct SeededRandom(std::sync::atomic::AtomicU64);

impl SeededRandom {
    /// Starts from `seed`.
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
        // As far as the type goes: no panic.
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
