//! A place in a rate.

use std::sync::Arc;

use hooks_core::time::Tick;

use crate::call::Needs;
use crate::health::Quota;

/// A slot, or from when on there is room; None where there is no rate.
pub(crate) type Booked = Result<Option<Slot>, Tick>;

/// A place in a rate: from a moment on a call may be sent. Dropped before it was used, it is given back, so that
/// a caller who waits and goes away costs nobody anything.
pub(crate) struct Slot {
    quota: Arc<Quota>,
    /// What was taken, beside a request.
    tokens: u64,
    at: Tick,
    shared: bool,
    used: bool,
}

impl Slot {
    pub(crate) fn new(quota: &Arc<Quota>, needs: &Needs, at: Tick) -> Self {
        Self::of(quota, needs, at, false)
    }

    /// A slot of a fleet. Its store has no way to give one back: the fleet sends a call less.
    pub(crate) fn of_fleet(quota: &Arc<Quota>, needs: &Needs, at: Tick) -> Self {
        Self::of(quota, needs, at, true)
    }

    fn of(quota: &Arc<Quota>, needs: &Needs, at: Tick, shared: bool) -> Self {
        Self { quota: Arc::clone(quota), tokens: needs.tokens(), at, shared, used: false }
    }

    /// From when on the call may be sent.
    pub(crate) const fn at(&self) -> Tick {
        self.at
    }

    /// The call is sent; or, after all, it was not.
    pub(crate) fn used(&mut self, used: bool) {
        self.used = used;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.used && !self.shared {
            self.quota.give_back(self.tokens);
        }
    }
}
