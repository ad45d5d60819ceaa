//! An append-only audit log that can be verified independently, and consumers of its records.
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
//! | [`metrics`] | counts what agents do |
//! | [`cache`] | reuses the results of expensive reads |
//! | [`scribe`] | keeps a team's folder in order while agents write there |
//! | [`notice`] | notifies an agent that another one changed files of its charter |
//! | [`touched`] | finds the files that a call wrote, by any means |
//! | [`config`] | the log's settings as plain data, for a configuration file |

pub mod append;
pub mod cache;
pub mod chain;
pub mod checkpoint;
pub mod config;
pub mod describe;
mod join;
pub mod keep;
pub mod layer;
pub mod log;
pub mod metrics;
mod mutant;
pub mod notice;
pub mod read;
pub mod record;
pub mod recover;
pub mod scribe;
pub mod segment;
#[cfg(test)]
mod sim;
pub mod sink;
pub mod touched;
pub mod verify;

pub use self::append::{Appender, Entry, OpenError, Recovered, Settings};
pub use self::layer::{Audit, AuditLayer, AuditSettings, OnError};
pub use self::log::{Durability, Log, LogSettings, Ticket, Unwritten};
pub use self::read::{Committed, Kept, Position, Positions, ReadError, Reader, Skipped};
pub use self::record::{Limits, Payload, Record, notes};
