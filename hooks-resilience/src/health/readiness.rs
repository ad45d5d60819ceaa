//! Readiness of models.

use hooks_core::time::Tick;

use crate::call::Call;
use crate::error::{ErrorKind, ModelError};

/// The time at which a model could be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Now.
    Ready,
    /// From this time on, as far as known.
    At(Tick),
    /// Never: the model does not meet the needs of the call, or its rate never allows so much.
    Never,
}

impl Readiness {
    /// The time of readiness; `None` for `Never`.
    pub fn tick(self, now: Tick) -> Option<Tick> {
        match self {
            Self::Ready => Some(now),
            Self::At(tick) => Some(tick),
            Self::Never => None,
        }
    }

    /// At `tick`, if that is later than `now`.
    pub(crate) fn at(tick: Tick, now: Tick) -> Self {
        if tick > now { Self::At(tick) } else { Self::Ready }
    }
}

/// A refusal to call a model now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAdmitted {
    /// Time from which the model may be called.
    pub ready_at: Tick,
    /// Reason of the refusal.
    pub because: Because,
}

/// Reasons not to call a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Because {
    /// The model kept failing.
    Breaker,
    /// The provider asked for a pause.
    Gate,
    /// The rate limit is used up.
    Rate,
    /// The most concurrent calls are in flight.
    Bulkhead,
}

impl NotAdmitted {
    /// Converts to an error of the stack.
    pub(crate) fn error(self, call: &Call) -> ModelError {
        let words = match self.because {
            Because::Breaker => "it kept failing; it is asked again later",
            Because::Gate => "its provider asked us to wait",
            Because::Rate => "its rate is used up",
            Because::Bulkhead => {
                "as many calls are on their way as its provider may have; raise `bulkhead.concurrent` or its `limits.concurrent`, or call less"
            }
        };
        ModelError::new(ErrorKind::NotAdmitted, words).with_model_of(call).with_ready_at(self.ready_at)
    }
}
