//! Everything on the record: an append-only log that anybody can check, and what is fed from it.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`record`] | what is written down about an event |
//! | [`chain`] | the hashes that hold it together, as bytes |
//! | [`segment`] | the files that it is in, by name |
//! | [`layer`] | puts every event and what was answered on the record |
//! | [`describe`] | how each event is put down |
//! | [`log`] | the log of one process: a queue, and one thread that writes |
//! | [`append`] | adds to a chain, and recovers what a killed writer left |
//! | [`keep`] | for how long files are kept, what is held, what is erased |
//! | [`recover`] | tells what was torn off from what was tampered with |
//! | [`read`] | what was committed, from a position on, while others write |
//! | [`verify`] | checks that everything is as it was written |
//! | [`checkpoint`] | what the log was at some time, signed, kept elsewhere |
//! | [`sink`] | sends what was committed to other systems, at least once |
//! | [`metrics`] | counts what agents do |
//! | [`cache`] | reuses what expensive reads gave |
//! | [`scribe`] | keeps a team's folder in order while agents write there |
//! | [`notice`] | tells an agent that another one wrote what its charter covers |
//! | [`touched`] | which files a call writes, by every way there is to them |
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
