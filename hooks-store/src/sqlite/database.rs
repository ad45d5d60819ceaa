//! The file, open: one transaction at a time, in turn with other processes.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use hooks_core::state::{Answer, Op, StoreError};
use rusqlite::{Connection, OpenFlags, TransactionBehavior, TransactionState};

use super::clock::{StoreClock, uptime};
use super::error::Fault;
use super::lock::{Held, Lock, Mark, no_file};
use super::options::SqliteOptions;
use super::step::{self, Step};
use super::{damage, schema};
use crate::config::Durability;
use crate::identity::lost;

/// The database of one store, in one process.
#[derive(Debug)]
pub(super) struct Database {
    options: SqliteOptions,
    /// Opened with the first transaction.
    lock: Option<Lock>,
    open: Option<Open>,
    /// When, by the machine's uptime, it was last waited for in vain.
    gave_up: Option<Duration>,
}

#[derive(Debug)]
struct Open {
    connection: Connection,
    clock: StoreClock,
    /// Which file it is: somebody may move it aside and put another in its place. It stays open until then, so that no
    /// other file is given its number.
    identity: Identity,
    /// How often the loss of one had been accepted when it was opened.
    losses: u64,
}

impl Database {
    /// Opens it, made where it is not there.
    ///
    /// # Errors
    /// It cannot be opened, or is closed.
    pub(super) fn open(options: SqliteOptions) -> Result<Self, StoreError> {
        let mut database = Self::closed(options);
        database.run(&[])?;
        Ok(database)
    }

    /// One that is opened with its first transaction.
    pub(super) fn closed(options: SqliteOptions) -> Self {
        Self { options, lock: None, open: None, gave_up: None }
    }

    /// Does `ops`, in order, all in one transaction; each is one atomic step.
    ///
    /// # Errors
    /// None of them is done. (One whose commit failed may be.)
    pub(super) fn run(&mut self, ops: &[Op]) -> Result<Vec<Answer>, StoreError> {
        let result = self.transact(ops);
        result.map_err(|fault| fault.told(&self.options.path))
    }

    /// Lets the file grow to so many pages only, or to what it has.
    #[cfg(test)]
    pub(super) fn limit_pages(&self, pages: i64) {
        let connection = &self.open.as_ref().unwrap().connection;
        connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(())).unwrap();
    }

    fn transact(&mut self, ops: &[Op]) -> Result<Vec<Answer>, Fault> {
        let began = uptime();
        let wait = self.patience(began);
        let result = self.within(wait, began, ops);
        if result.as_ref().is_err_and(Fault::is_busy) {
            self.gave_up = Some(uptime());
        }
        result
    }

    /// How long it is waited for. An event asks several times, and what it could not have it asks to give back: all of
    /// that waits little longer than the first.
    fn patience(&self, now: Duration) -> Duration {
        let wait = self.options.wait;
        match self.gave_up {
            Some(when) if now.saturating_sub(when) < wait => wait.min(AGAIN),
            _ => wait,
        }
    }

    fn within(&mut self, wait: Duration, began: Duration, ops: &[Op]) -> Result<Vec<Answer>, Fault> {
        let turn = self.lock()?.take(wait)?;
        // What is left of the time: nobody waits twice.
        let wait = wait.saturating_sub(uptime().saturating_sub(began));
        let result = self.in_turn(&turn, wait, ops);
        match &result {
            Err(fault) if fault.is_damage() => {
                self.open = None;
                Err(Fault::Closed(damage::move_aside(&self.options.path, &fault.damage())?))
            }
            // It may be put right meanwhile.
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

    fn in_turn(&mut self, turn: &Held, wait: Duration, ops: &[Op]) -> Result<Vec<Answer>, Fault> {
        let path = &self.options.path;
        if let Some(open) = &self.open
            && Identity::of(path).ok().as_ref() != Some(&open.identity)
        {
            if let Some(note) = damage::note(path)? {
                return Err(Fault::Closed(note));
            }
            // Nobody goes on with another file, also not with one that somebody else made there, unless a person said
            // that this one is lost.
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

/// Whoever closes a database last, SQLite has fold its log into it and delete the log by its name. That is done in
/// turn, so that nobody puts another file under that name meanwhile.
impl Drop for Database {
    fn drop(&mut self) {
        let wait = self.options.wait;
        // Without a turn it is closed all the same.
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
        let forgotten = |known, gone: &str| Fault::Forgotten(lost(&path.display().to_string(), known, gone));
        if is_empty(path)? {
            if is_kept {
                return Err(Fault::Lost);
            }
            if let Some(known) = &known {
                return Err(forgotten(known, "is not there any more"));
            }
        }
        // Only this process's own lock keeps its threads apart, so that SQLite need not.
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
        // Through to the disk: a store that is remembered must not be taken back by a power cut.
        transaction.commit()?;
        connection.pragma_update(None, "synchronous", synchronous)?;
        if let (Some(witness), None) = (witness, known) {
            witness.remember(&store).map_err(Fault::Witness)?;
        }
        if !is_kept {
            turn.set_mark(Mark { is_kept: true, losses })?;
        }
        let identity = Identity::of(path)?;
        Ok(Self { connection, clock, identity, losses })
    }

    fn transact(&mut self, ops: &[Op]) -> Result<Vec<Answer>, Fault> {
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

    fn commit(&mut self, ops: &[Op]) -> Result<Vec<Answer>, Fault> {
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

/// Whether nothing is kept at `path` yet.
fn is_empty(path: &Path) -> io::Result<bool> {
    match fs::metadata(path) {
        Ok(file) if !file.is_file() => Err(no_file(path)),
        Ok(file) => Ok(file.len() == 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// Which file it is.
#[derive(Debug, PartialEq, Eq)]
struct Identity(u64, u64);

impl Identity {
    #[cfg(unix)]
    fn of(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        let file = fs::metadata(path)?;
        Ok(Self(file.dev(), file.ino()))
    }

    /// Where an open file cannot be moved.
    #[cfg(not(unix))]
    fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|_| Self(0, 0))
    }
}

/// How long it is waited for after it was waited for in vain.
const AGAIN: Duration = Duration::from_millis(100);

/// How many prepared statements are kept: all there are.
const STATEMENTS: usize = 64;

/// How long the log of SQLite gets before whoever commits folds it into the file: so long that not one commit in a
/// hundred waits for that, not even where several wait for the one that does it.
const CHECKPOINT_PAGES: i64 = 4_000;
