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
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
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
