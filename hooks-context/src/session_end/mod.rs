//! What is put away when a session is over, whatever way it ended.
//!
//! | step | where | done twice |
//! | --- | --- | --- |
//! | histories that have grown are archived, and say so in a line under their title | `agents/NAME/` | nothing is left to do |
//! | what the session used and did | `metrics/` | the file is there |
//! | what it was about | `log/` | the file is there |
//! | what is still open, from a source that the host names | `identity/now.md` | it says the same |
//!
//! The end is written down before the first step, in one file; the file goes after the last. A process that is killed in
//! between leaves the rest to the next session's start, and every step can be made again. A session whose process was
//! killed before it ended is ended by a later start, a day after it began.
//!
//! Archives are moves: first to the archive, then out of the history, finished by whoever takes the folder's lock next
//! (see `hooks-team`). Every entry is in exactly one of the two.
//!
//! The layer goes on `session_start` and `session_end`; its work is done beside the inner hook, by
//! [`Workers`](crate::source::Workers). It never fails a session: what goes wrong is told to the failure sink.

mod archive;
mod boundary;
mod closing;
mod layer;
mod metrics;
mod record;
mod service;
mod settings;
mod tally;

#[cfg(test)]
mod tests;

pub use self::boundary::Boundary;
pub use self::layer::SessionEndLayer;
pub use self::metrics::Metrics;
pub use self::service::SessionEndService;
pub use self::settings::{OpenWork, SessionEndSettings, SessionEnding};
pub use self::tally::{Counts, SessionTally};
