//! Everything on the record: an append-only log that anybody can check, and what is fed from it.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`record`] | what is written down about an event |
//! | [`chain`] | the hashes that hold it together, as bytes |
//! | [`segment`] | the files that it is in, by name |
//! | [`read`] | what was committed, from a position on, while others write |

pub mod chain;
pub mod read;
pub mod record;
pub mod segment;

pub use self::read::{Committed, Kept, Position, Positions, ReadError, Reader};
pub use self::record::{Limits, Payload, Record, notes};
