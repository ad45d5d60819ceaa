//! Why a metered model gave no answer.

use std::fmt;

use super::refusal::SpendRefusal;

/// Why a metered model gave no answer.
#[derive(Debug)]
#[non_exhaustive]
pub enum SpendError<E> {
    /// The budget does not allow the call, or any more of its answer.
    Refused(SpendRefusal),
    /// The model failed.
    Model(E),
}

impl<E> From<SpendRefusal> for SpendError<E> {
    fn from(refusal: SpendRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: fmt::Display> fmt::Display for SpendError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Model(error) => error.fmt(f),
        }
    }
}

// A boxed error is no `Error` itself, so its source is not told: it would be the same text again.
impl<E: fmt::Debug + fmt::Display> std::error::Error for SpendError<E> {}
