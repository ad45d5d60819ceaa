//! A file that several processes of one machine share: SQLite, used in turn.
//!
//! Each operation is a transaction. `step` does it on rows; `schema` has the tables; `database` has the file
//! and its transactions; `lock` the queue of processes; `clock` the time; `damage` the handling of a damaged
//! file; `worker` the thread that waits in place of its callers.
//!
//! | situation | result |
//! | --- | --- |
//! | a process ends at any point, also by `kill -9` | its transaction is complete or absent; the lock goes to the next process |
//! | a process is stopped while it holds the lock | others wait for [`SqliteOptions::wait`], then get an error; they continue when it continues or ends |
//! | another program has a transaction open | the same |
//! | the disk is full | an error, nothing changed; operations work again when there is space |
//! | the lock files are deleted | they are created again; meanwhile SQLite itself keeps writers apart |
//! | the database is moved, deleted or replaced while it is open | an error |
//! | the database is damaged | it is moved aside, the store is closed for all until [`SqliteStore::accept_loss`] |
//! | there is a new database where another was used before | an error, if a [`Witness`](crate::Witness) remembers the other one |
//! | the database is of another version | an error, whichever version came first |
//! | the calendar is set | no effect: the time follows the machine's uptime |

mod clock;
mod damage;
mod database;
mod error;
mod lock;
mod number;
mod options;
mod schema;
mod step;
#[cfg(test)]
mod tests;
mod worker;

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::{Op, StateStore, StepResult, StoreError};

use self::database::Database;
use self::error::Fault;
use self::lock::Lock;
pub use self::options::SqliteOptions;
use self::worker::Worker;

/// A store in a file that several processes share. On drop, it finishes the operations it received and closes
/// the file.
///
/// ```
/// use futures_util::FutureExt as _;
/// use hooks_core::state::{StepResult, Key, Op, StateStore};
/// use hooks_store::sqlite::SqliteOptions;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("state.db");
/// let key = Key::new(None, &["mode"]);
/// let open = || SqliteOptions::new(&path).blocking().open();
/// let ask = |store: &dyn StateStore, op| store.apply(op).now_or_never().expect("a blocking store answers at once");
///
/// ask(&open()?, Op::Put { key: key.clone(), value: "strict".into(), ttl: None })?;
/// // The file is opened again, as by another process.
/// assert_eq!(ask(&open()?, Op::Get { key })?, StepResult::Value(Some(("strict".into(), 1))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteStore(Mode);

enum Mode {
    /// The calling thread does the work.
    Blocking(Box<Mutex<Database>>),
    /// A separate thread does the work.
    Threaded(Worker),
}

impl SqliteStore {
    /// Opens the file at `path` with the defaults of [`SqliteOptions::new`].
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, is of another version, or is closed because it was
    /// damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        SqliteOptions::new(path).open()
    }

    /// Returns the reason why the store at `path` is closed; `None` if it is open.
    ///
    /// # Errors
    /// Returns an error if the note about the damage cannot be read.
    ///
    /// ```
    /// use hooks_store::SqliteStore;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("state.db");
    /// std::fs::write(&path, "this is no database, and longer than the header of one ".repeat(200))?;
    /// assert!(SqliteStore::open(&path).is_err());
    ///
    /// // The damaged file is moved aside. The store is closed until an operator accepts the loss.
    /// let reason = SqliteStore::loss(&path)?.ok_or("it is closed")?;
    /// assert_eq!(SqliteStore::accept_loss(&path)?, Some(reason));
    /// assert!(SqliteStore::open(&path).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn loss(path: impl AsRef<Path>) -> Result<Option<String>, StoreError> {
        let path = path.as_ref();
        damage::note(path).map_err(|error| Fault::from(error).told(path))
    }

    /// Opens the store at `path` again, empty, after its file was damaged and moved aside: all spent amounts
    /// and lockouts are lost, so an operator has to decide this. Returns the reason why it was closed; `None`
    /// if it was open.
    ///
    /// # Errors
    /// Returns an error if the note about the damage cannot be removed.
    ///
    /// ```
    /// use hooks_store::SqliteStore;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("state.db");
    /// assert!(SqliteStore::open(&path).is_ok());
    /// assert_eq!(SqliteStore::accept_loss(&path)?, None); // it was not closed
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn accept_loss(path: impl AsRef<Path>) -> Result<Option<String>, StoreError> {
        let path = path.as_ref();
        let accept = || {
            let turn = Lock::beside(path)?.take(TURN)?;
            damage::accept(path, &turn)
        };
        accept().map_err(|error| Fault::from(error).told(path))
    }

    fn with(options: SqliteOptions) -> Result<Self, StoreError> {
        let (path, blocking) = (options.path.clone(), options.blocking);
        Self::with_database(&path, blocking, Database::open(options)?)
    }

    fn later(options: SqliteOptions) -> Result<Self, StoreError> {
        let (path, blocking) = (options.path.clone(), options.blocking);
        Self::with_database(&path, blocking, Database::closed(options))
    }

    fn with_database(path: &Path, blocking: bool, database: Database) -> Result<Self, StoreError> {
        if blocking {
            return Ok(Self(Mode::Blocking(Box::new(Mutex::new(database)))));
        }
        let worker = Worker::start(database).map_err(|error| Fault::from(error).told(path))?;
        Ok(Self(Mode::Threaded(worker)))
    }
}

/// Time that a command of a user waits for the lock.
const TURN: Duration = Duration::from_secs(10);

impl StateStore for SqliteStore {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        match &self.0 {
            Mode::Threaded(worker) => worker.ask(op),
            Mode::Blocking(database) => HookFuture::now(run(database, &[op]).and_then(|answers| {
                let lost = || StoreError::Unavailable("no answer came for the operation".to_owned());
                answers.into_iter().next().ok_or_else(lost)
            })),
        }
    }

    /// Without a worker thread, runs `ops` in one transaction. A worker thread combines the operations that
    /// arrive during a transaction in the next one.
    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<StepResult>, StoreError>>> {
        Some(match &self.0 {
            Mode::Threaded(worker) => worker.ask_all(ops),
            Mode::Blocking(database) => HookFuture::now(run(database, ops)),
        })
    }

    /// With a worker thread, this is false.
    fn is_untouched(&self) -> bool {
        match &self.0 {
            Mode::Threaded(_) => false,
            Mode::Blocking(database) => {
                database.lock().unwrap_or_else(PoisonError::into_inner).is_untouched()
            }
        }
    }
}

/// Runs `ops` in the calling thread.
fn run(database: &Mutex<Database>, ops: &[Op]) -> Result<Vec<StepResult>, StoreError> {
    // A transaction does not panic. If one did, it is rolled back when the next begins.
    database.lock().unwrap_or_else(PoisonError::into_inner).run(ops)
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqliteStore")
    }
}
