//! What the messages of a conversation hold, in the shapes of the providers.
//!
//! [`Block`] reads one block, and is the only place that knows how a provider writes a call, a result, a thought or a
//! picture; all others ask it. [`places`] says where in a message something stands that may give way to a mark,
//! [`Estimate`] how many tokens it takes, and [`write`] makes the blocks of what was streamed.

mod block;
pub(crate) mod places;
mod result;
mod spot;
mod tokens;
pub(crate) mod write;

pub(crate) use self::block::{Block, SIGNATURE, is_picture};
pub(crate) use self::tokens::Tally;
pub use self::tokens::{CountTokens, Estimate};
