//! A moment before which nobody is asked.

use std::sync::atomic::Ordering;
use std::time::Duration;

use hooks_core::time::Tick;

use crate::sync::AtomicU64;

/// Shut until a moment; looked at without a lock.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU64);

impl Gate {
    /// Shuts it until `until`; a later moment that stands, stands.
    pub(crate) fn shut_until(&self, until: Tick) {
        let nanos = u64::try_from(until.0.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_max(nanos, Ordering::Relaxed);
    }

    /// When it opens, or opened last.
    pub(crate) fn opens(&self) -> Tick {
        Tick(Duration::from_nanos(self.0.load(Ordering::Relaxed)))
    }
}
