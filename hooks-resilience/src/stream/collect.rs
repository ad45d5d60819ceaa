//! Collects a stream to an answer.

use std::collections::VecDeque;

use futures_util::StreamExt;
use hooks_core::event::{ModelReply, Usage};

use super::assemble::Assembly;
use super::overlap::Differs;
use super::{Chunk, ModelStream};
use crate::classify::stop_reason;
use crate::error::{ErrorKind, ModelError};

/// Reads a stream to its end.
///
/// # Errors
/// Returns the error of the stream; the kind of its stop reason if that means an incomplete answer
/// (truncated, refused); [`ErrorKind::StreamBroken`] if the stream ends without a stop reason. All of them
/// carry the received part.
pub async fn collect(mut stream: ModelStream) -> Result<ModelReply, ModelError> {
    let (mut assembly, mut usage, mut stop) = (Assembly::default(), Usage::default(), None);
    let mut whole = VecDeque::new();
    while let Some(chunk) = stream.next().await {
        match chunk.map(|chunk| assembly.take(chunk, &mut whole)) {
            // Only the continuation of a text can differ from it, which cannot be detected outside of the
            // stack.
            Ok(Ok(()) | Err(Differs)) => {
                for chunk in whole.drain(..) {
                    match chunk {
                        Chunk::Usage(so_far) => usage = so_far,
                        Chunk::Stop(reason) => stop = Some(reason),
                        _ => {}
                    }
                }
            }
            Err(error) if error.received().is_some() => return Err(error),
            Err(error) => return Err(error.with_received(assembly.into_received().into_message(), usage)),
        }
    }
    let (kind, message) = match stop {
        None => (ErrorKind::StreamBroken, "the answer ended without saying that it was done".to_owned()),
        Some(reason) => match stop_reason(&reason) {
            Some(kind) => (kind, format!("the model stopped: `{reason}`")),
            None => {
                return Ok(ModelReply {
                    response: assembly.into_received().into_message(),
                    usage,
                    cost: None,
                });
            }
        },
    };
    Err(ModelError::new(kind, message).with_received(assembly.into_received().into_message(), usage))
}
