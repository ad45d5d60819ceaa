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
//!
//! The default: a log records the outcome of every event, and is read and verified afterwards.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use hooks_audit::verify::{Condition, verify};
//! use hooks_audit::{Audit, AuditSettings, Log, LogSettings, Positions, LogReader};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use hooks_core::{HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let disk = Arc::new(FakeDisk::default());
//! // Salts the digests of payloads: take it from an unpredictable source.
//! let secret = [7; 32];
//! let clock = Arc::new(StoppedClock(Timestamp(1_769_852_000_000)));
//! let log = Log::open(disk.clone(), "/log", LogSettings::new(secret), clock)?;
//!
//! let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
//!     Verdict::deny(Reason::new("no-shell", "any", "no shell here"))
//! });
//! let audit = Audit::new(log.clone(), AuditSettings::default());
//! let hooks = Hooks::builder().policy(no_shell).config(audit)?.build();
//! let call = PreToolUse::new("bash", serde_json::json!({"command": "ls"}));
//! hooks.on(HookContext::new("session-1", "backend")).pre_tool_use(call).await;
//! log.close().await?;
//!
//! let records = LogReader::new(disk.clone(), "/log", Positions::default()).read(100)?;
//! assert_eq!(records[0].record.rule.as_deref(), Some("any"));
//! assert_eq!(verify(&*disk, Path::new("/log"), &[])?.condition(), Condition::Clean);
//! # Ok(())
//! # }
//! ```

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

pub use self::append::{AppendSettings, Appender, Entry, OpenError, Recovered};
pub use self::layer::{Audit, AuditLayer, AuditSettings, OnError};
pub use self::log::{Durability, Log, LogSettings, Ticket, Unwritten};
pub use self::read::{
    Committed, Kept, LogReader, ParsePayload, Position, Positions, ReadError, Skipped, Unfinished,
};
pub use self::record::{DegradedEffect, Limits, Payload, Record, RecordedAnswer, WouldHave, notes};
