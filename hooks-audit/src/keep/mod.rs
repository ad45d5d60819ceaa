//! What is kept, for how long, and what has to go: retention by whole files, legal holds, erasure.
//!
//! | | what it takes away | what is on the record before |
//! | --- | --- | --- |
//! | compression | nothing | |
//! | retention ([`Keeping::keep`]) | whole files, the oldest first, all of whose records are too old | `log.deleted`, which records |
//! | a legal hold ([`Holds`]) | keeps retention and erasure from what it is about | `log.held`, `log.released` |
//! | erasure ([`Appender::erase`](crate::Appender::erase)) | payloads; the chain still verifies | `log.erased`, of which records, why |
//!
//! The record is what says which holds there are: where the file of holds does not have one that is in force by it, nothing
//! is deleted or erased.
//!
//! All of it can be interrupted at every step and done again. Whoever does it holds the lock of the chain: a process that
//! has a log open does it beside its writer ([`LogSettings::keeping`](crate::LogSettings)), others in their turn
//! ([`Keeper::all`]). Nobody who puts something down waits for it.

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

/// For how long a log is kept, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Keeping {
    /// Files all of whose records are older are deleted; none are where nothing is said.
    pub keep: Option<Duration>,
    /// Whether files are compressed once another one is written.
    pub compress: bool,
}

impl Default for Keeping {
    /// For ever, and compressed.
    fn default() -> Self {
        Self { keep: None, compress: true }
    }
}

#[cfg(test)]
mod tests;
