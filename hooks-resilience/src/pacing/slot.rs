//! A slot in a rate.

use std::sync::Arc;

use hooks_core::time::Tick;

use crate::call::Needs;
use crate::health::Quota;

/// A slot, or the time from which there is room; `None` without a rate.
pub(crate) type Booked = Result<Option<Slot>, Tick>;

/// A slot in a rate: the time from which a call may be sent. If it is dropped unused, it is returned, so that
/// a call that was dropped while it waited costs nothing.
pub(crate) struct Slot {
    quota: Arc<Quota>,
    /// Tokens that were taken, beside a request.
    tokens: u64,
    at: Tick,
    shared: bool,
    used: bool,
}

impl Slot {
    pub(crate) fn new(quota: &Arc<Quota>, needs: &Needs, at: Tick) -> Self {
        Self::with_sharing(quota, needs, at, false)
    }

    /// Creates a slot of a fleet. Its store cannot take one back, so a dropped slot is one call less for the
    /// fleet.
    pub(crate) fn of_fleet(quota: &Arc<Quota>, needs: &Needs, at: Tick) -> Self {
        Self::with_sharing(quota, needs, at, true)
    }

    fn with_sharing(quota: &Arc<Quota>, needs: &Needs, at: Tick, shared: bool) -> Self {
        Self { quota: Arc::clone(quota), tokens: needs.tokens(), at, shared, used: false }
    }

    /// When the call may be sent.
    pub(crate) const fn at(&self) -> Tick {
        self.at
    }

    /// Records whether the call was sent.
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
