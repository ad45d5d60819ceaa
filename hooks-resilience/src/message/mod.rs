//! Contents of messages, in the shapes of the providers.
//!
//! [`Block`] reads one block. It is the only place that knows how a provider writes a tool call, a result,
//! thinking or an image. [`places`] finds the parts of a message that a mark may replace, [`Estimate`] counts
//! its tokens, and [`write`] creates the blocks of a streamed answer.

mod block;
pub(crate) mod places;
mod result;
mod spot;
mod tokens;
pub(crate) mod write;

pub(crate) use self::block::{Block, SIGNATURE, is_picture};
pub(crate) use self::tokens::Tally;
pub use self::tokens::{CountTokens, Estimate};
