//! A time before which no call is sent.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;
use crate::sync::AtomicU64;

/// Shut until a time; readable without a lock.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU64);

impl Gate {
    /// Shuts the gate until `until`, unless it is shut for longer already.
    pub(crate) fn shut_until(&self, until: Tick) {
        self.0.fetch_max(nanos(until.0), Ordering::Relaxed);
    }

    /// Whether it is open at `now`, in nanoseconds.
    pub(crate) fn is_open(&self, now: u64) -> bool {
        self.0.load(Ordering::Relaxed) <= now
    }

    /// When the gate opens, or last opened.
    pub(crate) fn opens(&self) -> Tick {
        Tick(Duration::from_nanos(self.0.load(Ordering::Relaxed)))
    }
}
