//! A streamed answer.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;

use super::Chunk;
use crate::error::ModelError;

/// A streamed answer, boxed. It ends with [`Chunk::Stop`], optionally followed by a last [`Chunk::Usage`], or
/// with an error.
pub struct ModelStream(Pin<Box<dyn Stream<Item = Result<Chunk, ModelError>> + Send>>);

impl ModelStream {
    /// Boxes a stream.
    pub fn new(stream: impl Stream<Item = Result<Chunk, ModelError>> + Send + 'static) -> Self {
        Self(Box::pin(stream))
    }
}

impl Stream for ModelStream {
    type Item = Result<Chunk, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for ModelStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelStream").finish_non_exhaustive()
    }
}
