//! Streamed answers: their chunks, and the continuation of an answer that breaks midway, without repeated
//! words or tool calls.
//!
//! [`ResumeLayer`] is the outermost layer, around a stack whose clients return a [`ModelStream`]. If a stream
//! breaks, stalls or reports an error, its reaction depends on the released parts:
//!
//! | released | reaction |
//! | --- | --- |
//! | nothing | makes the call again, through the whole stack |
//! | text | by [`StreamConfig::after_text`]: continues it, starts again, or fails |
//! | a tool call | fails with [`ErrorKind::StreamBroken`](crate::ErrorKind), which carries the received part |
//!
//! The host's [`Treatments`](crate::Treatments) decide which kinds of errors are retried. Each further call
//! is paid from the retry budget.
//!
//! If a model broke off, further calls use the other models first, and it only after a pause. [`BeginLayer`]
//! is the innermost layer, around the client. A failure before the first chunk is then an error of the
//! attempt, which the whole stack handles, and not an error of the stream.
//!
//! Tool calls are released only when complete.

mod assemble;
mod begin;
mod chunk;
mod collect;
mod config;
pub mod future;
mod layer;
mod model_stream;
mod overlap;
mod parts;
mod received;
mod resume;
mod service;
#[cfg(test)]
mod tests;
mod watch;

pub use self::begin::{Begin, BeginFuture, BeginLayer};
pub use self::chunk::Chunk;
pub use self::collect::collect;
pub use self::config::{AfterText, StreamConfig};
pub use self::layer::ResumeLayer;
pub use self::model_stream::ModelStream;
pub use self::service::Resume;
