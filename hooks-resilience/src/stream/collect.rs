//! From pieces to an answer.

use futures_util::StreamExt;
use hooks_core::event::{ModelReply, Usage};

use super::received::{Received, ToolCall};
use super::{Chunk, ModelStream};
use crate::classify::stop_reason;
use crate::error::{ErrorKind, ModelError};

/// Reads a stream to its end.
///
/// # Errors
/// The stream's own error; one that says what the answer lacks where its stop reason does (truncated, refused); and
/// [`ErrorKind::StreamBroken`] where it ends without one. All of them carry what was received.
pub async fn collect(mut stream: ModelStream) -> Result<ModelReply, ModelError> {
    let (mut received, mut usage, mut stop) = (Received::default(), Usage::default(), None);
    let mut open: Vec<ToolCall> = Vec::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(Chunk::Text(text)) => received.add_text(&text),
            Ok(Chunk::ToolStart { id, name }) => open.push(ToolCall { id, name, json: String::new() }),
            Ok(Chunk::ToolArgs { id, json }) => {
                open.iter_mut().filter(|call| call.id == id).for_each(|call| call.json.push_str(&json));
            }
            Ok(Chunk::ToolEnd { id }) => {
                if let Some(at) = open.iter().position(|call| call.id == id) {
                    received.add_tool(&open.remove(at));
                }
            }
            Ok(Chunk::Usage(so_far)) => usage = so_far,
            Ok(Chunk::Stop(reason)) => stop = Some(reason),
            Ok(Chunk::Resumed(_)) => open.clear(),
            Ok(Chunk::Restarted(_)) => {
                open.clear();
                received.clear();
            }
            Err(error) if error.received().is_some() => return Err(error),
            Err(error) => return Err(error.with_received(received.into_message(), usage)),
        }
    }
    let (kind, message) = match stop {
        None => (ErrorKind::StreamBroken, "the answer ended without saying that it was done".to_owned()),
        Some(reason) => match stop_reason(&reason) {
            Some(kind) => (kind, format!("the model stopped: `{reason}`")),
            None => return Ok(ModelReply { response: received.into_message(), usage, cost: None }),
        },
    };
    Err(ModelError::new(kind, message).with_received(received.into_message(), usage))
}
