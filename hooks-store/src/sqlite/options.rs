//! Options of a store in a file.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::state::StoreError;
use hooks_core::time::Clock;

use super::SqliteStore;
use crate::config::Durability;
use crate::identity::Witness;

/// Options of a store in a file.
///
/// ```
/// use std::time::Duration;
/// use hooks_store::Durability;
/// use hooks_store::sqlite::SqliteOptions;
///
/// # let folder = tempfile::tempdir()?;
/// // For a command line: one thread, writes that survive a power cut, and no long wait for another process.
/// let path = folder.path().join("state.db");
/// let options = SqliteOptions::new(&path).blocking().durability(Durability::Power);
/// let store = options.wait(Duration::from_millis(200)).open()?;
/// assert!(path.exists());
/// # drop(store);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// The store in the file at `path`. SQLite creates files next to it (`-wal`, `-shm`), and so does the
    /// lock (`.turn`, `.lock`); all of them have to be on a local disk.
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

    /// Sets the failures that an acknowledged write survives.
    #[must_use]
    pub fn durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Sets the time to wait for the lock, and for another program that has a transaction open, both
    /// together. The default is two seconds; after that, the answer is an error.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Does the work in the calling thread: for programs without a runtime, which do one thing at a time.
    #[must_use]
    pub fn blocking(mut self) -> Self {
        self.blocking = true;
        self
    }

    /// Uses the calendar of `clock` as the time, for tests. Otherwise the time follows the machine's uptime,
    /// which cannot be set.
    #[must_use]
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Refuses a store other than the one that `witness` remembers, and has it remember the first store.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    /// use hooks_core::state::StoreError;
    /// use hooks_store::sqlite::SqliteOptions;
    /// use hooks_store::{StoreId, Witness};
    ///
    /// #[derive(Default)]
    /// struct InMemory(Mutex<Option<StoreId>>);
    ///
    /// impl Witness for InMemory {
    ///     fn known(&self) -> Result<Option<StoreId>, StoreError> {
    ///         Ok(self.0.lock().expect("no holder panics").clone())
    ///     }
    ///
    ///     fn remember(&self, id: &StoreId) -> Result<(), StoreError> {
    ///         *self.0.lock().expect("no holder panics") = Some(id.clone());
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let witness = Arc::new(InMemory::default());
    /// let open = |name: &str| {
    ///     SqliteOptions::new(folder.path().join(name)).blocking().witnessed_by(witness.clone()).open()
    /// };
    /// drop(open("state.db")?);
    /// assert!(open("state.db").is_ok());
    /// // An empty store in place of the known one would forget what was spent.
    /// assert!(matches!(open("other.db"), Err(StoreError::Closed(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn witnessed_by(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// Opens the store; a missing file is created.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, is of another version, is closed because it was
    /// damaged, or is not the store that was used before.
    pub fn open(self) -> Result<SqliteStore, StoreError> {
        SqliteStore::with(self)
    }

    /// Opens the store with the first operation, under the same lock. Unless it is
    /// [`blocking`](Self::blocking), a thread does this, so that no caller in a runtime waits for the disk.
    /// An error of opening is returned by the operation; the next one tries again.
    ///
    /// # Errors
    /// Returns an error if the thread cannot be started.
    ///
    /// ```
    /// use futures_util::FutureExt as _;
    /// use hooks_core::state::{Op, StateStore, StoreError};
    /// use hooks_store::sqlite::SqliteOptions;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let missing = folder.path().join("not mounted yet");
    /// let store = SqliteOptions::new(missing.join("state.db")).blocking().open_later()?;
    /// let now = || store.apply(Op::Now).now_or_never().expect("a blocking store answers at once");
    /// assert!(now().is_err());
    /// std::fs::create_dir(&missing)?;
    /// assert!(now().is_ok(), "the next operation tries again");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
