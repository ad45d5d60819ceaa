//! The steps of a plan, and the reasons to give up.

use hooks_core::time::Tick;

/// The next step of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Call a model.
    Try {
        /// Place of the model in the chain.
        place: usize,
        /// Time from which another model could answer instead; `None` without another model.
        elsewhere: Option<Tick>,
        /// Whether the model's breaker is open, and no other model is ready either.
        last_resort: bool,
    },
    /// No model is ready.
    Park {
        /// Time to check the models again.
        until: Tick,
        /// Place in the chain of the model that is expected to be ready then.
        place: usize,
        /// Whether the call wakes for a last chance before its deadline, and has no time to lose.
        last_chance: bool,
    },
    /// Give up.
    GiveUp(End),
}

/// Reasons to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum End {
    /// Another model would give the same error.
    Final,
    /// No model is left to call.
    NoneLeft,
    /// The most attempts were made.
    Attempts,
    /// The deadline passed, or would pass before a model is ready at this time.
    Late(Option<Tick>),
    /// A model is ready only at this time, which is beyond the longest parking.
    TooFar(Tick),
}
