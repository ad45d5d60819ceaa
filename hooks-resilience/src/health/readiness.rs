//! Whether a model could be asked.

use hooks_core::time::Tick;

use crate::call::Call;
use crate::error::{ErrorKind, ModelError};

/// When a model could be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Now.
    Ready,
    /// From then on, as far as is known.
    At(Tick),
    /// Not at all: it cannot do what the call needs, or its rate never lets as much through.
    Never,
}

impl Readiness {
    /// The moment; None where there is none.
    pub fn tick(self, now: Tick) -> Option<Tick> {
        match self {
            Self::Ready => Some(now),
            Self::At(tick) => Some(tick),
            Self::Never => None,
        }
    }

    /// At `tick` where that is later than `now`.
    pub(crate) fn at(tick: Tick, now: Tick) -> Self {
        if tick > now { Self::At(tick) } else { Self::Ready }
    }
}

/// A model is not asked now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NotAdmitted {
    /// From when on it may be asked.
    pub ready_at: Tick,
    /// What keeps it from being asked.
    pub because: Because,
}

/// What keeps a model from being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Because {
    /// It kept failing.
    Breaker,
    /// Its provider told us to wait.
    Gate,
    /// What may be sent in a minute was sent.
    Rate,
    /// As many calls are on their way as may be.
    Bulkhead,
}

impl NotAdmitted {
    /// As an error of the stack.
    pub(crate) fn error(self, call: &Call) -> ModelError {
        let words = match self.because {
            Because::Breaker => "it kept failing; it is asked again later",
            Because::Gate => "its provider told us to wait",
            Because::Rate => "its rate is used up",
            Because::Bulkhead => {
                "as many calls are on their way as its provider may have; raise `bulkhead.concurrent` or its `limits.concurrent`, or call less"
            }
        };
        ModelError::new(ErrorKind::NotAdmitted, words).with_model_of(call).with_ready_at(self.ready_at)
    }
}
