//! Time and randomness, as traits (law 9). This crate has no clock of its own.

mod calendar;
mod rfc3339;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use self::rfc3339::TimestampError;
use crate::future::HookFuture;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::Timestamp;
///
/// let time: Timestamp = "2026-11-22T02:00:00.5+01:00".parse()?;
/// assert_eq!(time.to_string(), "2026-11-22T01:00:00.500Z"); // in UTC
/// assert_eq!(time.date(), (2026, 11, 22));
/// // A clock that was set back gives no negative time.
/// assert_eq!(time.since(time.after(Duration::from_secs(5))), Duration::ZERO);
/// # Ok::<(), hooks_core::time::TimestampError>(())
/// ```
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
        let (year, month, _) = self.date();
        year * 12 + month - 1
    }

    /// Returns the start of a date in UTC; `None` if there is no such date, or it is before 1970.
    ///
    /// ```
    /// use hooks_core::time::Timestamp;
    ///
    /// assert_eq!(Timestamp::of_date(1970, 1, 2), Some(Timestamp(86_400_000)));
    /// assert_eq!(Timestamp::of_date(2026, 2, 29), None);
    /// ```
    pub fn of_date(year: u64, month: u64, day: u64) -> Option<Self> {
        calendar::days(year, month, day)?.checked_mul(DAY).map(Self)
    }

    /// Returns the year, month and day in UTC.
    pub fn date(self) -> (u64, u64, u64) {
        calendar::date(self.0 / DAY)
    }

    /// Returns the start of the month with this number; 1970-01-01 for months before 1970.
    ///
    /// ```
    /// use hooks_core::time::Timestamp;
    ///
    /// let time: Timestamp = "2026-11-22T01:00:00Z".parse()?;
    /// assert_eq!(Timestamp::of_month(time.month()).to_string(), "2026-11-01T00:00:00.000Z");
    /// # Ok::<(), hooks_core::time::TimestampError>(())
    /// ```
    pub fn of_month(number: u64) -> Self {
        Self(calendar::days_before(number).saturating_mul(DAY))
    }
}

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;
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
///
/// ```
/// use std::time::Duration;
/// use hooks_core::time::{Clock, Tick, Timestamp};
///
/// struct Noon;
///
/// impl Clock for Noon {
///     fn now(&self) -> Timestamp {
///         Timestamp(43_200_000)
///     }
/// }
///
/// // Without a method of its own, the tick follows the calendar.
/// assert_eq!(Noon.tick(), Tick(Duration::from_secs(43_200)));
/// ```
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
///
/// ```
/// use hooks_core::time::{Random, SeededRandom};
///
/// let (first, second) = (SeededRandom::new(7), SeededRandom::new(7));
/// assert_eq!(first.next_u64(), second.next_u64());
/// assert_ne!(first.next_u64(), first.next_u64());
/// ```
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
