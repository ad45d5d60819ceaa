//! Everything on the record: an append-only log that anybody can check, and what is fed from it.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`record`] | what is written down about an event |
//! | [`chain`] | the hashes that hold it together, as bytes |
//! | [`segment`] | the files that it is in, by name |
//! | [`read`] | what was committed, from a position on, while others write |
//! | [`sink`] | sends what was committed to other systems, at least once |
//! | [`metrics`] | counts what agents do |
//! | [`cache`] | reuses what expensive reads gave |

pub mod cache;
pub mod chain;
pub mod metrics;
pub mod read;
pub mod record;
pub mod segment;
pub mod sink;

pub use self::read::{Committed, Kept, Position, Positions, ReadError, Reader};
pub use self::record::{Limits, Payload, Record, notes};
