//! The answer of a handler: its exit status and its output, parsed by the rules of a profile. Pure.

mod json;
mod near_miss;
mod reading;

pub(crate) use self::json::parse_fields;
pub use self::json::{HandlerReply, Message, OutputError, SpecificReply, parse};
pub use self::near_miss::near_miss;
pub use self::reading::{End, Finished, Reading, read};
