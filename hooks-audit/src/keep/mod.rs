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

mod age;
pub(crate) mod files;
mod holds;
mod keeper;
mod said;
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
