//! What one call knows of a place of its chain.

use hooks_core::time::Tick;

/// What came of one place of the chain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Past {
    pub(super) attempts: u32,
    /// Whether a quota refused this call that the model draws on too.
    pub(super) refused: bool,
    /// How often it was not admitted when it was its turn.
    pub(super) not_admitted: u32,
    pub(super) not_before: Tick,
    /// Until then the retry budget does not pay for asking it although its breaker is open.
    pub(super) no_last_resort_before: Tick,
    pub(super) barred: bool,
}

impl Past {
    /// Whether nothing speaks against the model yet: it may be asked without the retry budget.
    pub(super) const fn is_fresh(self) -> bool {
        self.attempts == 0 && !self.refused
    }
}
