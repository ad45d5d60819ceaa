//! Times as whole nanoseconds: what an atomic holds, and what rates and windows count in.

use std::time::Duration;

use hooks_core::time::Tick;

/// The nanoseconds of `duration`; all there are, 584 years, where it is longer.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// The moment so many nanoseconds after the clock began.
pub(crate) const fn tick(nanos: u64) -> Tick {
    Tick(Duration::from_nanos(nanos))
}
