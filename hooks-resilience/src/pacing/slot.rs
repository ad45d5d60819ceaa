//! A place in a rate.

use hooks_core::time::Tick;

use crate::call::Needs;
use crate::health::Health;

/// A place in a rate: from a moment on a call may be sent. Dropped before it was used, it is given back, so that
/// a caller who waits and goes away costs nobody anything.
#[derive(Debug)]
pub(crate) struct Slot {
    health: Health,
    quota: usize,
    needs: Needs,
    at: Tick,
    used: bool,
}

impl Slot {
    pub(crate) fn new(health: Health, quota: usize, needs: Needs, at: Tick) -> Self {
        Self { health, quota, needs, at, used: false }
    }

    /// From when on the call may be sent.
    pub(crate) const fn at(&self) -> Tick {
        self.at
    }

    /// The call is sent; or, after all, it was not.
    pub(crate) fn used(&mut self, used: bool) {
        self.used = used;
    }

    pub(crate) fn health(&self) -> &Health {
        &self.health
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.used {
            self.health.give_back(self.quota, &self.needs);
        }
    }
}
