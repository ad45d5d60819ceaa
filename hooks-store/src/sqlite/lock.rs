//! Whose turn it is: a fair lock among processes, which ends with its holder.
//!
//! SQLite alone keeps two writers apart, but who waits there asks now and then, and starves beside one who asks all
//! the time. Here two files are locked with `flock`. Who wants to work takes `turn`, waits for `work`, and gives
//! `turn` back: so exactly one waits for `work`, nobody gets past it, and the kernel has the others stand in line.
//! Nothing but fairness depends on the locks: delete the files, and it is still SQLite that keeps writers apart.
//!
//! The second file says as well whether there is a database: one that is empty or gone then was lost.

use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The lock of one store, in one process.
#[derive(Debug)]
pub(super) struct Lock {
    folder: PathBuf,
    name: String,
    files: Arc<Files>,
    waiter: Option<InLine>,
}

impl Lock {
    /// The lock of the database at `path`, in two files beside it.
    pub(super) fn beside(path: &Path) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or("state").to_owned();
        let files = Arc::new(Files::open(&folder, &name)?);
        Ok(Self { folder, name, files, waiter: None })
    }

    /// Takes it, waiting for `wait` at most.
    ///
    /// # Errors
    /// The files cannot be locked. [`io::ErrorKind::TimedOut`]: somebody has held it for that long.
    pub(super) fn take(&mut self, wait: Duration) -> io::Result<Held> {
        // Somebody may delete the files while we stand in line; then there is another line.
        for _ in 0..8 {
            let mut held = self.take_files(wait)?;
            if let Some(is_marked) = self.files.look()? {
                held.is_marked = is_marked;
                return Ok(held);
            }
            drop(held);
            self.files = Arc::new(Files::open(&self.folder, &self.name)?);
            self.waiter = None;
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "the lock files are deleted again and again"))
    }

    fn take_files(&mut self, wait: Duration) -> io::Result<Held> {
        let is_waiting = self.waiter.as_ref().is_some_and(|waiter| waiter.0.is_busy());
        if !is_waiting && try_lock(&self.files.turn)? {
            if try_lock(&self.files.work)? {
                self.files.turn.unlock()?;
                return Ok(Held::of(&self.files));
            }
            self.files.turn.unlock()?;
        }
        let waiter = match &self.waiter {
            Some(waiter) => waiter,
            None => self.waiter.insert(Waiter::start(&self.files)?),
        };
        waiter.0.wait(wait)?;
        Ok(Held::of(&self.files))
    }
}

/// The lock is held until this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    files: Arc<Files>,
    /// Whether something stands in the second file.
    pub(super) is_marked: bool,
}

/// What the second file says of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Whether there is one. Where nothing is said, there is none, or one of an earlier version.
    pub(super) is_kept: bool,
    /// How often a person accepted the loss of one: whoever has an earlier one open may go on with the next.
    pub(super) losses: u64,
}

impl Held {
    fn of(files: &Arc<Files>) -> Self {
        Self { files: Arc::clone(files), is_marked: false }
    }

    /// What is said of the database. What makes no sense says that there is one: that is the safe side.
    pub(super) fn mark(&self) -> io::Result<Mark> {
        let (mut file, mut text) = (&self.files.work, String::new());
        file.rewind()?;
        file.take(MARK).read_to_string(&mut text)?;
        let (word, losses) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let is_kept = !matches!(word, "" | "new");
        Ok(Mark { is_kept, losses: losses.parse().unwrap_or_default() })
    }

    /// Says so of the database.
    pub(super) fn set_mark(&self, mark: Mark) -> io::Result<()> {
        let mut file = &self.files.work;
        let text = format!("{} {}\n", if mark.is_kept { "kept" } else { "new" }, mark.losses);
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        file.set_len(u64::try_from(text.len()).unwrap_or(MARK))
    }
}

/// A mark is no longer than this.
const MARK: u64 = 64;

impl Drop for Held {
    fn drop(&mut self) {
        // It cannot fail for a file that is open and locked; the end of the process would do it as well.
        let _unlocked = self.files.work.unlock();
    }
}

#[derive(Debug)]
struct Files {
    turn: File,
    work: File,
}

impl Files {
    fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let open = |kind: &str| {
            let path = folder.join(format!("{name}.{kind}"));
            // For both, so that a pipe of that name is not waited for.
            let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
            if file.metadata()?.is_file() { Ok(file) } else { Err(no_file(&path)) }
        };
        Ok(Self { turn: open("turn")?, work: open("lock")? })
    }

    /// Whether something stands in the second; `None` where somebody deleted them.
    fn look(&self) -> io::Result<Option<bool>> {
        let (turn, work) = (self.turn.metadata()?, self.work.metadata()?);
        Ok((!is_deleted(&turn) && !is_deleted(&work)).then_some(work.len() > 0))
    }
}

#[cfg(unix)]
fn is_deleted(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 0
}

/// Where an open file cannot be deleted.
#[cfg(not(unix))]
fn is_deleted(_file: &Metadata) -> bool {
    false
}

/// What stands where a file should.
pub(super) fn no_file(path: &Path) -> io::Error {
    io::Error::other(format!("`{}` is no regular file; move it away, or name another file", path.display()))
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// The thread of a [`Waiter`], which ends when this is dropped.
#[derive(Debug)]
struct InLine(Arc<Waiter>);

impl Drop for InLine {
    fn drop(&mut self) {
        *self.0.lock() = Phase::Gone;
        self.0.changed.notify_all();
    }
}

/// Of a thread that only waits: most processes that meet others need one.
const STACK: usize = 128 << 10;

/// A thread that stands in line, since waiting for a file lock has no end of its own.
#[derive(Debug)]
struct Waiter {
    phase: Mutex<Phase>,
    changed: Condvar,
}

#[derive(Debug)]
enum Phase {
    /// Nobody waits.
    Idle,
    /// Somebody waits.
    Wanted,
    /// Whoever waited has given up; what is granted goes back, unless it is wanted again by then.
    Abandoned,
    /// Granted, and not yet taken.
    Granted,
    /// The files cannot be locked.
    Failed(io::Error),
    /// The store is closed.
    Gone,
}

impl Waiter {
    fn start(files: &Arc<Files>) -> io::Result<InLine> {
        let waiter = Arc::new(Self { phase: Mutex::new(Phase::Idle), changed: Condvar::new() });
        let (of_thread, files) = (Arc::clone(&waiter), Arc::clone(files));
        let thread = std::thread::Builder::new().name("hooks-store-lock".to_owned()).stack_size(STACK);
        thread.spawn(move || while of_thread.stand_in_line(&files) {})?;
        Ok(InLine(waiter))
    }

    fn is_busy(&self) -> bool {
        !matches!(*self.lock(), Phase::Idle)
    }

    /// Has the thread stand in line, and waits for it.
    fn wait(&self, wait: Duration) -> io::Result<()> {
        let mut phase = self.lock();
        *phase = Phase::Wanted;
        self.changed.notify_all();
        let is_waiting = |phase: &mut Phase| matches!(phase, Phase::Wanted);
        let waited = self.changed.wait_timeout_while(phase, wait, is_waiting);
        let (mut phase, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *phase, Phase::Idle) {
            Phase::Granted => Ok(()),
            Phase::Failed(error) => Err(error),
            _ => {
                *phase = Phase::Abandoned;
                Err(io::Error::new(io::ErrorKind::TimedOut, "another process has held it for too long"))
            }
        }
    }

    /// Waits until somebody wants the lock, and gets it. Whether to go on.
    fn stand_in_line(&self, files: &Files) -> bool {
        let is_unwanted = |phase: &mut Phase| !matches!(phase, Phase::Wanted | Phase::Gone);
        let phase = self.changed.wait_while(self.lock(), is_unwanted).unwrap_or_else(PoisonError::into_inner);
        if matches!(*phase, Phase::Gone) {
            return false;
        }
        drop(phase);
        let got = files.turn.lock().and_then(|()| files.work.lock());
        let turn = files.turn.unlock();
        let mut phase = self.lock();
        let is_granted = got.is_ok();
        let next = match got.and(turn) {
            Err(error) => Phase::Failed(error),
            Ok(()) if matches!(*phase, Phase::Wanted) => Phase::Granted,
            Ok(()) => Phase::Idle,
        };
        if is_granted && !matches!(next, Phase::Granted) {
            // It cannot fail for a file that is open and locked.
            let _unlocked = files.work.unlock();
        }
        let is_gone = matches!(*phase, Phase::Gone);
        *phase = if is_gone { Phase::Gone } else { next };
        self.changed.notify_all();
        !is_gone
    }

    fn lock(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
