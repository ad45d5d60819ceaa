//! Retention by whole files, compression, legal holds, and erasure of payloads.
//!
//! | | what it removes | what is recorded before |
//! | --- | --- | --- |
//! | compression | nothing | |
//! | retention ([`Keeping::keep`]) | whole files whose records are all too old, the oldest first | `log.deleted`, which records |
//! | a legal hold ([`Holds`]) | nothing; it protects records from retention and erasure | `log.held`, `log.released` |
//! | erasure ([`Appender::erase`](crate::Appender::erase)) | payloads; the chain still verifies | `log.erased`, which records, why |
//!
//! The log is authoritative for holds: if the file of holds lacks a hold that is in force according to the
//! log, nothing is deleted or erased.
//!
//! All of it can be interrupted at every step and repeated. The acting process holds the lock of the chain. A
//! process with an open log applies the settings in a thread beside its writer
//! ([`LogSettings::keeping`](crate::LogSettings)); other processes use [`Keeper::all`]. Writes of records
//! never wait for it.
//!
//! Full files that are too old are deleted; the others are compressed. A plan does nothing:
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_audit::keep::{Keeper, Keeping};
//! use hooks_audit::{Appender, Record, AppendSettings};
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::{StoppedClock, Timestamp};
//!
//! const DAY: u64 = 86_400_000;
//! let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(9 * DAY))));
//! let settings = AppendSettings::new([7; 32]);
//! let (mut appender, _) = Appender::open(disk.clone(), "/log", settings.clone(), clock.clone())?;
//! for day in [1, 8] {
//!     appender.append(&mut [Record::new("stop", Timestamp(day * DAY)).into()])?;
//!     appender.rotate()?;
//! }
//! appender.close()?;
//!
//! let mut keeping = Keeping::default();
//! keeping.keep = Some(Duration::from_secs(2 * 86_400));
//! let keeper = Keeper::new(disk, "/log", clock, keeping);
//! let plan = keeper.plan()?;
//! assert_eq!(plan.deleted, ["w0.00000001.jsonl"]);
//! assert_eq!(plan.compressed, ["w0.00000002.jsonl"]);
//! let done = keeper.all(&settings, &|| true)?;
//! assert_eq!(done.deleted, ["w0.00000001.jsonl"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod age;
pub(crate) mod files;
mod hold_notes;
mod holds;
mod keeper;
mod selection;

use std::time::Duration;

pub use self::age::{Age, AgeError};
pub use self::holds::{Hold, HoldError, Holds};
pub use self::keeper::{Keeper, Report};
pub use self::selection::{Selection, SelectionError};

/// Retention time and compression of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keeping {
    /// Retention time: files whose records are all older are deleted. If absent, no file is deleted.
    pub keep: Option<Duration>,
    /// Whether files are compressed once another one is written.
    pub compress: bool,
}

impl Default for Keeping {
    /// No deletion, with compression.
    fn default() -> Self {
        Self { keep: None, compress: true }
    }
}

#[cfg(test)]
mod tests;
