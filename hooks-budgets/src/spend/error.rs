//! Errors of a metered model.

use std::fmt;

use super::refusal::SpendRefusal;

/// Error of a metered model.
#[derive(Debug)]
#[non_exhaustive]
pub enum SpendError<E> {
    /// The budget does not allow the call, or the rest of its answer.
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

// A boxed error does not implement `Error`, so there is no source; it would have the same text again.
impl<E: fmt::Debug + fmt::Display> std::error::Error for SpendError<E> {}
