//! History of one call with one model of its chain.

use hooks_core::time::Tick;

/// History of one place of the chain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    pub(super) attempts: u32,
    /// Whether this call was refused by a quota that the model also draws on.
    pub(super) refused: bool,
    /// Number of times that the model's turn came and the call was not admitted.
    pub(super) not_admitted: u32,
    /// Time before which the provider, a hook or a limit of ours wants no request. It holds for a last chance
    /// too.
    pub(super) told_until: Tick,
    /// Time until which the call leaves the model alone of its own accord. A last chance ends it.
    pub(super) rests_until: Tick,
    /// Until this time the retry budget pays for no call through the open breaker.
    pub(super) no_last_resort_before: Tick,
    pub(super) barred: bool,
}

impl Past {
    /// Whether the model may be called without the retry budget: no attempt and no refusal yet.
    pub(super) const fn is_fresh(self) -> bool {
        self.attempts == 0 && !self.refused
    }

    /// Time from which the model may be called again.
    pub(super) fn not_before(self) -> Tick {
        self.told_until.max(self.rests_until)
    }
}
