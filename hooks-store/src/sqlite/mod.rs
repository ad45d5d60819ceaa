//! Several processes on one machine share a file: SQLite, entered in turn.
//!
//! Each operation is a transaction. `step` does it on rows, `schema` has the tables, `database` the file and
//! its transactions, `lock` the turns, `clock` the time, `damage` what happens when the file is damaged, and
//! `worker` the thread that waits so that others need not.
//!
//! | what happens | what is done |
//! | --- | --- |
//! | a process ends anywhere, also by `kill -9` | the transaction is there or not; its turn goes to the next |
//! | a process is stopped while it has its turn | others wait for [`SqliteOptions::wait`], then get an error; the turn is theirs when it goes on or ends |
//! | another program has a transaction open | the same |
//! | the disk is full | an error, nothing changed; it goes on when there is space |
//! | the lock's files are deleted | they are made again; SQLite itself keeps writers apart meanwhile |
//! | the database is moved, deleted or replaced while it is open | an error |
//! | the database is damaged | it is moved aside, the store is closed for all until [`SqliteStore::accept_loss`] |
//! | a new database stands where one was used before | an error, where a [`Witness`](crate::Witness) remembers that one |
//! | the database is of another version | an error, whichever came first |
//! | the clock is set | nothing: time is what the machine counts |

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
use hooks_core::state::{Answer, Op, StateStore, StoreError};

use self::database::Database;
use self::error::Fault;
use self::lock::Lock;
pub use self::options::SqliteOptions;
use self::worker::Worker;

/// State in a file that several processes share. Dropping it does what was asked of it, and closes the file.
pub struct SqliteStore(Mode);

enum Mode {
    /// Whoever asks does the work.
    Blocking(Box<Mutex<Database>>),
    /// A thread does.
    Threaded(Worker),
}

impl SqliteStore {
    /// Opens the file at `path` as [`SqliteOptions::new`] has it.
    ///
    /// # Errors
    /// It cannot be opened, is of another version, or is closed because it was damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        SqliteOptions::new(path).open()
    }

    /// Why the store at `path` is closed; `None` where it is not.
    ///
    /// # Errors
    /// It cannot be told.
    pub fn loss(path: impl AsRef<Path>) -> Result<Option<String>, StoreError> {
        let path = path.as_ref();
        damage::note(path).map_err(|error| Fault::from(error).told(path))
    }

    /// Opens the store at `path` again after its file was damaged and moved aside, with nothing in it: what was spent
    /// and who was locked out is forgotten. For a person to say. Why it was closed; `None` where it was not.
    ///
    /// # Errors
    /// The note cannot be removed.
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
        Self::of(&path, blocking, Database::open(options)?)
    }

    fn later(options: SqliteOptions) -> Result<Self, StoreError> {
        let (path, blocking) = (options.path.clone(), options.blocking);
        Self::of(&path, blocking, Database::closed(options))
    }

    fn of(path: &Path, blocking: bool, database: Database) -> Result<Self, StoreError> {
        if blocking {
            return Ok(Self(Mode::Blocking(Box::new(Mutex::new(database)))));
        }
        let worker = Worker::start(database).map_err(|error| Fault::from(error).told(path))?;
        Ok(Self(Mode::Threaded(worker)))
    }
}

/// How long a person waits for the turn of a command.
const TURN: Duration = Duration::from_secs(10);

impl StateStore for SqliteStore {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        match &self.0 {
            Mode::Threaded(worker) => worker.ask(op),
            Mode::Blocking(database) => HookFuture::now(run(database, &[op]).and_then(|answers| {
                let lost = || StoreError::Unavailable("no answer came for the operation".to_owned());
                answers.into_iter().next().ok_or_else(lost)
            })),
        }
    }

    /// In one transaction; a thread puts together what it was asked meanwhile.
    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<Answer>, StoreError>>> {
        Some(match &self.0 {
            Mode::Threaded(worker) => worker.ask_all(ops),
            Mode::Blocking(database) => HookFuture::now(run(database, ops)),
        })
    }
}

/// Does `ops` in the thread that asks.
fn run(database: &Mutex<Database>, ops: &[Op]) -> Result<Vec<Answer>, StoreError> {
    // A transaction does not panic; where one did, it is rolled back when the next begins.
    database.lock().unwrap_or_else(PoisonError::into_inner).run(ops)
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqliteStore")
    }
}
