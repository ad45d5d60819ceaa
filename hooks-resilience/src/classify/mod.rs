//! What an error of a client means.

use crate::error::ModelError;

/// Says what a client's error means for the stack.
pub trait Classify<E> {
    /// The error of the stack that `error` is.
    fn classify(&self, error: E) -> ModelError;
}

/// For clients whose errors are [`ModelError`]s already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Classified;

impl Classify<ModelError> for Classified {
    fn classify(&self, error: ModelError) -> ModelError {
        error
    }
}
