//! A moment before which nobody is asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::time::Tick;

use crate::duration::nanos;

/// Shut until a moment; looked at without a lock.
#[derive(Debug, Default)]
pub(crate) struct Gate(AtomicU64);

impl Gate {
    /// Shuts it until `until`; a later moment that stands, stands.
    pub(crate) fn shut_until(&self, until: Tick) {
        self.0.fetch_max(nanos(until.0), Ordering::Relaxed);
    }

    /// When it opens; None where it is open at `now`.
    pub(crate) fn opens_after(&self, now: Tick) -> Option<Tick> {
        let opens = self.0.load(Ordering::Relaxed);
        (opens > nanos(now.0)).then(|| Tick(Duration::from_nanos(opens)))
    }

    /// When it opens, or opened last.
    pub(crate) fn opens(&self) -> Tick {
        Tick(Duration::from_nanos(self.0.load(Ordering::Relaxed)))
    }
}
