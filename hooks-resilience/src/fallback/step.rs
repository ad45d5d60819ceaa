//! What a plan says: the next thing to do, or why there is none.

use hooks_core::time::Tick;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask a model.
    Try {
        /// Its place in the chain.
        place: usize,
        /// From when on another one could answer instead; `None` where there is no other.
        elsewhere: Option<Tick>,
        /// Whether its breaker is open, and no other model is ready either.
        last_resort: bool,
    },
    /// No model is ready.
    Park {
        /// Look again then.
        until: Tick,
        /// The place in the chain that is ready then, as far as is known now.
        place: usize,
    },
    /// There is nothing left to do.
    GiveUp(End),
}

/// Why there is nothing left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// The last error is one that another model would give too.
    Final,
    /// No model is left that could be asked.
    NoneLeft,
    /// As many attempts were made as may be.
    Attempts,
    /// The deadline passed, or would before a model is ready: then.
    Late(Option<Tick>),
    /// A model is ready only then, longer away than a call may be parked.
    TooFar(Tick),
}
