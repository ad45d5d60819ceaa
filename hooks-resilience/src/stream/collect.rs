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
///
/// ```
/// use futures_util::stream;
/// use hooks_resilience::stream::{Chunk, ModelStream, collect};
/// use hooks_resilience::ErrorKind;
/// use serde_json::json;
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
///
/// let chunks = |stop: &str| {
///     let chunks = [
///         Chunk::Text("let me look".to_owned()),
///         Chunk::ToolStart { id: "t1".to_owned(), name: "ls".to_owned() },
///         Chunk::ToolArgs { id: "t1".to_owned(), json: r#"{"path": "src"}"#.to_owned() },
///         Chunk::ToolEnd { id: "t1".to_owned() },
///         Chunk::Stop(stop.to_owned()),
///     ];
///     ModelStream::new(stream::iter(chunks.map(Ok)))
/// };
/// let reply = collect(chunks("tool_use")).await?;
/// assert_eq!(reply.response.content, json!([
///     { "type": "text", "text": "let me look" },
///     { "type": "tool_use", "id": "t1", "name": "ls", "input": { "path": "src" } },
/// ]));
/// let error = collect(chunks("max_tokens")).await.expect_err("the answer is incomplete");
/// assert_eq!(error.kind(), ErrorKind::OutputTruncated);
/// assert!(error.received().is_some(), "the received part is not lost");
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
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
