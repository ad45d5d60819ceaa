//! A moment before which nobody is asked.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;
use crate::sync::AtomicU64;

/// Shut until a moment; looked at without a lock.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU64);

impl Gate {
    /// Shuts it until `until`; a later moment that stands, stands.
    pub(crate) fn shut_until(&self, until: Tick) {
        self.0.fetch_max(nanos(until.0), Ordering::Relaxed);
    }

    /// Whether it is open at `now`, in nanoseconds.
    pub(crate) fn is_open(&self, now: u64) -> bool {
        self.0.load(Ordering::Relaxed) <= now
    }

    /// When it opens, or opened last.
    pub(crate) fn opens(&self) -> Tick {
        Tick(Duration::from_nanos(self.0.load(Ordering::Relaxed)))
    }
}
