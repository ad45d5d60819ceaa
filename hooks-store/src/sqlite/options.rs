//! How a store in a file is opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::StoreError;
use hooks_core::time::Clock;

use super::SqliteStore;
use crate::config::Durability;
use crate::identity::Witness;

/// How a store in a file is opened.
#[derive(Clone)]
pub struct SqliteOptions {
    pub(super) path: PathBuf,
    pub(super) durability: Durability,
    pub(super) wait: Duration,
    pub(super) blocking: bool,
    pub(super) clock: Option<Arc<dyn Clock>>,
    pub(super) witness: Option<Arc<dyn Witness>>,
}

impl SqliteOptions {
    /// The store in the file at `path`. Beside it stand files of SQLite (`-wal`, `-shm`) and of the lock (`.turn`,
    /// `.lock`); all of them have to be on a disk of this machine.
    pub fn new(path: impl AsRef<Path>) -> Self {
        Self {
            path: path.as_ref().to_owned(),
            durability: Durability::default(),
            wait: Duration::from_secs(2),
            blocking: false,
            clock: None,
            witness: None,
        }
    }

    /// What an answer survives.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// How long it waits for its turn and for a program that has a transaction open without one, both together; two
    /// seconds unless told. Beyond that the answer is an error.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Answers at once, in the thread that asks: for programs without a runtime, which do one thing at a time.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    /// Takes the time from the calendar of `clock`, for tests. Otherwise time is what the machine counts, so that
    /// nobody moves it.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Refuses a store that is not the one that `witness` remembers, and has it remember the first one.
    #[must_use]
    pub fn witnessed_by(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// Opens it; makes the file where it is not there.
    ///
    /// # Errors
    /// It cannot be opened, is of another version, is closed because it was damaged, or is not the one that was used before.
    pub fn open(self) -> Result<SqliteStore, StoreError> {
        SqliteStore::with(self)
    }

    /// Opens it with the first operation, in the same turn; unless it is [`blocking`](Self::blocking), in a thread, so that nobody
    /// waits for the disk who asks from a runtime. An error of opening is the operation's; the next one tries again.
    ///
    /// # Errors
    /// There cannot be one more thread.
    pub fn open_later(self) -> Result<SqliteStore, StoreError> {
        SqliteStore::later(self)
    }
}

impl fmt::Debug for SqliteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteOptions")
            .field("path", &self.path)
            .field("durability", &self.durability)
            .field("wait", &self.wait)
            .field("blocking", &self.blocking)
            .finish_non_exhaustive()
    }
}
