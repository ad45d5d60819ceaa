//! The system's clock.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hooks_core::time::{Clock, Tick, Timestamp};

/// The time of the system. A clock set before 1970 reads 0.
///
/// ```
/// use hooks_core::time::Clock;
/// use hooks_system::SystemClock;
///
/// let before = SystemClock.tick();
/// assert!(SystemClock.tick() >= before); // ticks never go back
/// assert!(SystemClock.now().date().0 >= 2024);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    fn now(&self) -> Timestamp {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    }

    #[expect(clippy::disallowed_methods, reason = "this is the clock that everything else asks")]
    fn tick(&self) -> Tick {
        static START: OnceLock<Instant> = OnceLock::new();
        Tick(START.get_or_init(Instant::now).elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_do_not_go_back() {
        let first = SystemClock.tick();
        assert!(SystemClock.tick() >= first);
    }
}
