//! Archives, metrics and recaps at the end of a session, however it ended.
//!
//! | step | folder | if repeated |
//! | --- | --- | --- |
//! | archives long histories, and notes that in a line under their title | `agents/NAME/` | nothing is left to do |
//! | writes the metrics of the session | `metrics/` | the file exists |
//! | writes the recap of the session | `log/` | the file exists |
//! | writes the open work, from a source that the host provides | `identity/now.md` | the values are equal |
//!
//! The end of a session is recorded in a file before the first step, and the file is removed after the last.
//! If the process is killed in between, the next session's start does the remaining steps; every step can be
//! repeated. If a process is killed before its session ends, a later start ends that session, by default a
//! day after it began.
//!
//! Archiving is a move: first to the archive, then out of the history. If the process is killed in between,
//! the next one that takes the folder's lock finishes the move (see `hooks-team`). Every entry is in exactly
//! one of the two files.
//!
//! The layer goes on `session_start` and `session_end`. [`Workers`](crate::source::Workers) do its work while
//! the inner hook runs. It never fails a session: errors go to the failure sink.

mod archive;
mod boundary;
mod closing;
mod metrics;
mod record;
mod settings;
mod tally;

#[cfg(test)]
mod tests;

pub use self::metrics::Metrics;
pub use self::settings::{OpenWork, SessionEndSettings, SessionEnding};
pub use self::tally::{Counts, SessionTally};

/// Closes sessions while the inner hook runs. The answer waits for the work, so a process that exits after it
/// has finished the work.
pub type SessionEndLayer = hooks_core::beside::BesideLayer<SessionEnding>;
