//! Answers that come in pieces: what the pieces are, and how an answer that breaks midway is brought to its end
//! without doubling a word or a tool call.
//!
//! [`ResumeLayer`] goes outermost, around a stack whose clients answer with a [`ModelStream`]. What it does when a
//! stream breaks, stalls, or tells of an error depends on what was released by then:
//!
//! | released | what happens |
//! | --- | --- |
//! | nothing | the call is made again, through the whole stack |
//! | text | by the rule of [`StreamSettings::after_text`]: go on behind it, start anew, or fail |
//! | a tool call | it ends with [`ErrorKind::StreamBroken`](crate::ErrorKind), which carries what was received |
//!
//! Whether a kind of error is one to make the call again after is for the host's
//! [`Treatments`](crate::Treatments) to say, and each further call is paid from the retry budget.
//!
//! A model that broke off comes after the others when the call is made again, and after a pause. [`BeginLayer`] goes
//! innermost, around the client: what goes wrong before the first piece is then an error of the attempt, for the
//! whole stack to deal with, and not one of a stream.
//!
//! Tool calls are released whole, so that none is ever released in part.

mod assemble;
mod begin;
mod chunk;
mod collect;
pub mod future;
mod layer;
mod model_stream;
mod overlap;
mod parts;
mod received;
mod resume;
mod service;
mod settings;
#[cfg(test)]
mod tests;
mod watch;

pub use self::begin::{Begin, BeginFuture, BeginLayer};
pub use self::chunk::Chunk;
pub use self::collect::collect;
pub use self::layer::ResumeLayer;
pub use self::model_stream::ModelStream;
pub use self::service::ResumeService;
pub use self::settings::{AfterText, StreamSettings};
