//! An append-only audit log that can be verified independently, and the sinks that get its records.
//!
//! | module | content |
//! | --- | --- |
//! | [`record`] | a record: the entry of the log for an event |
//! | [`chain`] | the hash chain over the lines of the log, as bytes |
//! | [`segment`] | the files of a chain, by name |
//! | [`layer`] | records every event and its outcome |
//! | [`describe`] | makes the record of each event |
//! | [`log`] | the log of one process: a queue, and one thread that writes |
//! | [`append`] | appends to a chain, and recovers the chain of a killed writer |
//! | [`keep`] | retention, compression, legal holds, erasure |
//! | [`recover`] | distinguishes an interrupted write from tampering |
//! | [`read`] | reads committed records from a position on, while others write |
//! | [`verify`] | checks that the log is unchanged since it was written |
//! | [`checkpoint`] | signed digests of the log, stored elsewhere |
//! | [`sink`] | sends committed records to other systems, at least once |
//! | [`config`] | the log's settings as plain data, for a configuration file |

pub mod append;
pub mod chain;
pub mod checkpoint;
pub mod config;
pub mod describe;
mod join;
pub mod keep;
pub mod layer;
pub mod log;
mod mutant;
pub mod read;
pub mod record;
pub mod recover;
pub mod segment;
#[cfg(test)]
mod sim;
pub mod sink;
pub mod verify;

pub use self::append::{Appender, Entry, OpenError, Recovered, Settings};
pub use self::layer::{Audit, AuditLayer, AuditSettings, OnError};
pub use self::log::{Durability, Log, LogSettings, Ticket, Unwritten};
pub use self::read::{Committed, Kept, Position, Positions, ReadError, Reader, Skipped};
pub use self::record::{Limits, Payload, Record, notes};
