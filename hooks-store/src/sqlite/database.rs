//! The open file: one transaction at a time, in turn with other processes.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use hooks_core::state::{Op, StepResult, StoreError};
use rusqlite::{Connection, OpenFlags, TransactionBehavior, TransactionState};

use super::clock::{StoreClock, uptime};
use super::error::Fault;
use super::lock::{Held, Lock, Mark, no_file};
use super::options::SqliteOptions;
use super::step::{self, Step};
use super::{damage, schema};
use crate::config::Durability;
use crate::identity::{Witness, lost};

/// The database of one store, in one process.
#[derive(Debug)]
pub(super) struct Database {
    options: SqliteOptions,
    /// The lock, which is opened with the first transaction.
    lock: Option<Lock>,
    open: Option<Open>,
    /// Uptime of the machine at the last wait that timed out.
    gave_up: Option<Duration>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    clock: StoreClock,
    /// Identity of the open file, because another program may move it aside and put another file in its
    /// place. The file stays open until then, so that the system does not give its number to another file.
    identity: Identity,
    /// Number of accepted losses when the file was opened.
    losses: u64,
}

impl Database {
    /// Opens the database; a missing file is created.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened, or the store is closed.
    pub(super) fn open(options: SqliteOptions) -> Result<Self, StoreError> {
        let mut database = Self::closed(options);
        database.run(&[])?;
        Ok(database)
    }

    /// A database that is opened with its first transaction.
    pub(super) fn closed(options: SqliteOptions) -> Self {
        Self { options, lock: None, open: None, gave_up: None }
    }

    /// Whether there was never a store here: neither it nor a file of it, such as its lock, is in the folder, and the
    /// witness remembers none.
    pub(super) fn is_untouched(&self) -> bool {
        let path = &self.options.path;
        let Some(name) = path.file_name().map(|name| name.to_string_lossy()) else { return false };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let is_absent = match fs::read_dir(folder) {
            Ok(mut entries) => entries
                .all(|entry| entry.is_ok_and(|entry| !entry.file_name().to_string_lossy().contains(&*name))),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        let is_unknown = |witness: &std::sync::Arc<dyn Witness>| matches!(witness.known(), Ok(None));
        self.open.is_none() && is_absent && self.options.witness.as_ref().is_none_or(is_unknown)
    }

    /// Does `ops` in order, in one transaction; each is one atomic step.
    ///
    /// # Errors
    /// Returns an error if one of them cannot be done; then none is done. Only after a failed commit they may
    /// be done.
    pub(super) fn run(&mut self, ops: &[Op]) -> Result<Vec<StepResult>, StoreError> {
        let result = self.transact(ops);
        result.map_err(|fault| fault.told(&self.options.path))
    }

    /// Limits the size of the file to this number of pages, or to its present size.
    #[cfg(test)]
    pub(super) fn limit_pages(&self, pages: i64) {
        let connection = &self.open.as_ref().unwrap().connection;
        connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
    }

    fn transact(&mut self, ops: &[Op]) -> Result<Vec<StepResult>, Fault> {
        let began = uptime();
        let wait = self.patience(began);
        let result = self.within(wait, began, ops);
        if result.as_ref().is_err_and(Fault::is_busy) {
            self.gave_up = Some(uptime());
        }
        result
    }

    /// Returns the time to wait. An event sends several operations, and gives back what it could not get; all
    /// of them together should wait little longer than the first.
    fn patience(&self, now: Duration) -> Duration {
        let wait = self.options.wait;
        match self.gave_up {
            Some(when) if now.saturating_sub(when) < wait => wait.min(AGAIN),
            _ => wait,
        }
    }

    fn within(&mut self, wait: Duration, began: Duration, ops: &[Op]) -> Result<Vec<StepResult>, Fault> {
        let turn = self.lock()?.take(wait)?;
        // The remaining time: the two waits share one limit.
        let wait = wait.saturating_sub(uptime().saturating_sub(began));
        let result = self.in_turn(&turn, wait, ops);
        match &result {
            Err(fault) if fault.is_damage() => {
                self.open = None;
                Err(Fault::Closed(damage::move_aside(&self.options.path, &fault.damage())?))
            }
            // The operator may fix this meanwhile.
            Err(Fault::Version(_)) => {
                self.open = None;
                result
            }
            _ => result,
        }
    }

    fn lock(&mut self) -> io::Result<&mut Lock> {
        match &mut self.lock {
            Some(lock) => Ok(lock),
            none => Ok(none.insert(Lock::beside(&self.options.path)?)),
        }
    }

    fn in_turn(&mut self, turn: &Held, wait: Duration, ops: &[Op]) -> Result<Vec<StepResult>, Fault> {
        let path = &self.options.path;
        if let Some(open) = &self.open
            && Identity::read(path).ok().as_ref() != Some(&open.identity)
        {
            if let Some(note) = damage::note(path)? {
                return Err(Fault::Closed(note));
            }
            // No process continues with another file, even one that another process created there, unless an
            // operator accepted the loss of this one.
            if turn.mark()?.losses <= open.losses {
                return Err(Fault::Replaced);
            }
            self.open = None;
        }
        let open = match &mut self.open {
            Some(open) => open,
            closed => closed.insert(Open::new(&self.options, turn, wait)?),
        };
        if !turn.is_marked {
            turn.set_mark(Mark { is_kept: true, losses: open.losses })?;
        }
        open.connection.busy_timeout(wait)?;
        open.transact(ops)
    }
}

/// The process that closes a database last makes SQLite fold its log into the file and delete the log by its
/// name. This happens under the lock, so that no process puts another file under that name meanwhile.
impl Drop for Database {
    fn drop(&mut self) {
        let wait = self.options.wait;
        // If the lock is not available, the database is closed anyway.
        let _turn = self.lock.as_mut().map(|lock| lock.take(wait));
        self.open = None;
    }
}

impl Open {
    fn new(options: &SqliteOptions, turn: &Held, wait: Duration) -> Result<Self, Fault> {
        let path = &options.path;
        if let Some(note) = damage::note(path)? {
            return Err(Fault::Closed(note));
        }
        let Mark { is_kept, losses } = turn.mark()?;
        let witness = options.witness.as_ref();
        let known = witness.map_or(Ok(None), |witness| witness.known()).map_err(Fault::Witness)?;
        if (is_kept || known.is_some()) && damage::has_journal(path)? {
            return Err(Fault::Journal);
        }
        let forgotten = |known, gone: &str| Fault::Forgotten(lost(&path.display().to_string(), known, gone));
        if is_empty(path)? {
            if is_kept {
                return Err(Fault::Lost);
            }
            if let Some(known) = &known {
                return Err(forgotten(known, "is not there any more"));
            }
        }
        // The lock of this process already keeps its threads apart, so SQLite need not lock.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(wait)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let mode = connection.query_row("PRAGMA journal_mode = wal", [], |row| row.get::<_, String>(0))?;
        if mode != "wal" {
            return Err(Fault::Disk);
        }
        let synchronous = match options.durability {
            Durability::Process => "normal",
            Durability::Power => "full",
        };
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
        connection.pragma_update(None, "trusted_schema", false)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        schema::prepare(&transaction)?;
        let store = schema::identity(&transaction)?;
        if let Some(known) = known.as_ref().filter(|known| **known != store) {
            return Err(forgotten(known, &format!("another one, `{store}`, is there now")));
        }
        let clock = StoreClock::anchored(&transaction, options.clock.as_ref())?;
        // Flushed to disk: a power cut must not undo the creation of a store whose identity is remembered.
        transaction.commit()?;
        connection.pragma_update(None, "synchronous", synchronous)?;
        if let (Some(witness), None) = (witness, known) {
            witness.remember(&store).map_err(Fault::Witness)?;
        }
        if !is_kept {
            turn.set_mark(Mark { is_kept: true, losses })?;
        }
        let identity = Identity::read(path)?;
        Ok(Self { connection, clock, identity, losses })
    }

    fn transact(&mut self, ops: &[Op]) -> Result<Vec<StepResult>, Fault> {
        if ops.is_empty() {
            return Ok(Vec::new());
        }
        let result = self.commit(ops);
        if result.is_err() {
            self.clock.forget_written();
            if self.connection.transaction_state(None::<&str>)? != TransactionState::None {
                self.connection.execute_batch("ROLLBACK")?;
            }
        }
        result
    }

    fn commit(&mut self, ops: &[Op]) -> Result<Vec<StepResult>, Fault> {
        let connection = &self.connection;
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        schema::check_again(connection)?;
        let (before, now) = (self.clock.written(), self.clock.now(connection)?);
        if self.clock.written() != before {
            step::tidy(connection, before, now)?;
        }
        let step = Step { db: connection, now };
        let answers = ops.iter().map(|op| step.run(op)).collect::<Result<_, _>>()?;
        connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(answers)
    }
}

/// Whether there is no data at `path` yet.
fn is_empty(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => Err(no_file(path)),
        Ok(file) => Ok(file.len() == 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Identity of a file: device and number.
#[derive(Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    fn read(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = fs::metadata(path)?;
        Ok(Self(file.dev(), file.ino()))
    }

    /// On systems on which an open file cannot be moved.
    #[cfg(not(unix))]
    fn read(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|_| Self(0, 0))
    }
}

/// Time to wait if an earlier wait timed out recently.
const AGAIN: Duration = Duration::from_millis(100);

/// Number of prepared statements that are kept: all that exist.
const STATEMENTS: usize = 64;

/// Size of the SQLite log at which a commit folds it into the file. It is large enough that fewer than one
/// commit in a hundred waits for this, also if several tasks wait for one commit.
const CHECKPOINT_PAGES: i64 = 4_000;
