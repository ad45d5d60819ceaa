//! A fair lock between processes, which ends with its holder.
//!
//! SQLite alone keeps two writers apart. But its waiters poll now and then, and starve next to a process that
//! polls all the time. So two files are locked with `flock`. A process takes `turn`, waits for `work`, and
//! releases `turn`. Thus exactly one process waits for `work`, no other can overtake it, and the kernel
//! queues the rest. Only fairness depends on these locks: if the files are deleted, SQLite still keeps
//! writers apart.
//!
//! The second file also records whether there is a database: if the record exists and the database is empty
//! or missing, it was lost.

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
    /// The lock of the database at `path`, in two files next to it.
    pub(super) fn beside(path: &Path) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or("state").to_owned();
        let files = Arc::new(Files::open(&folder, &name)?);
        Ok(Self { folder, name, files, waiter: None })
    }

    /// Takes the lock; waits for at most `wait`.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::TimedOut`] if another holder keeps it for that long; otherwise an error if
    /// the files cannot be locked.
    pub(super) fn take(&mut self, wait: Duration) -> io::Result<Held> {
        // The files may be deleted during the wait; the new files have another queue.
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
                return Ok(Held::new(&self.files));
            }
            self.files.turn.unlock()?;
        }
        let waiter = match &self.waiter {
            Some(waiter) => waiter,
            None => self.waiter.insert(Waiter::start(&self.files)?),
        };
        waiter.0.wait(wait)?;
        Ok(Held::new(&self.files))
    }
}

/// The held lock; it is released when this is dropped.
#[derive(Debug)]
pub(super) struct Held {
    files: Arc<Files>,
    /// Whether the second file has content.
    pub(super) is_marked: bool,
}

/// The record about the database in the second file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// Whether there is a database. A missing record means no database, or one of an earlier version.
    pub(super) is_kept: bool,
    /// Number of losses that an operator accepted. A process that has an earlier database open may continue
    /// with the next one.
    pub(super) losses: u64,
}

impl Held {
    fn new(files: &Arc<Files>) -> Self {
        Self { files: Arc::clone(files), is_marked: false }
    }

    /// Reads the record. An invalid record counts as "there is a database", which is the safe choice.
    pub(super) fn mark(&self) -> io::Result<Mark> {
        let (mut file, mut bytes) = (&self.files.work, Vec::new());
        file.rewind()?;
        file.take(MARK).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let (word, losses) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let is_kept = !matches!(word, "" | "new");
        Ok(Mark { is_kept, losses: losses.parse().unwrap_or_default() })
    }

    /// Writes the record.
    pub(super) fn set_mark(&self, mark: Mark) -> io::Result<()> {
        let mut file = &self.files.work;
        let text = format!("{} {}\n", if mark.is_kept { "kept" } else { "new" }, mark.losses);
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        file.set_len(u64::try_from(text.len()).unwrap_or(MARK))
    }
}

/// Largest size of a record.
const MARK: u64 = 64;

impl Drop for Held {
    fn drop(&mut self) {
        // This cannot fail for a file that is open and locked; the end of the process unlocks it as well.
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
            // Both files are checked, so that opening never blocks on a pipe of that name.
            let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path)?;
            if file.metadata()?.is_file() { Ok(file) } else { Err(no_file(&path)) }
        };
        Ok(Self { turn: open("turn")?, work: open("lock")? })
    }

    /// Returns whether the second file has content; `None` if the files were deleted.
    fn look(&self) -> io::Result<Option<bool>> {
        let (turn, work) = (self.turn.metadata()?, self.work.metadata()?);
        Ok((!is_deleted(&turn) && !is_deleted(&work)).then_some(work.len() > 0))
    }
}

#[cfg(unix)]
fn is_deleted(file: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(file) == 0
}

/// On systems on which an open file cannot be deleted.
#[cfg(not(unix))]
fn is_deleted(_file: &Metadata) -> bool {
    false
}

/// The error for a path that is not a regular file.
pub(super) fn no_file(path: &Path) -> io::Error {
    io::Error::other(format!(
        "`{}` is not a regular file; move it away, or name another file",
        path.display()
    ))
}

fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Handle of the thread of a [`Waiter`]; the thread ends when this is dropped.
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

/// A thread that waits in the queue, since waiting for a file lock has no timeout.
#[derive(Debug)]
struct Waiter {
    phase: Mutex<Phase>,
    changed: Condvar,
}

#[derive(Debug)]
enum Phase {
    /// No caller waits.
    Idle,
    /// A caller waits.
    Wanted,
    /// The caller has stopped waiting. A lock that is granted now is released, unless another caller waits by
    /// then.
    Abandoned,
    /// The lock is granted, and not taken yet.
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

    /// Makes the thread wait for the lock, and waits for the thread.
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

    /// Waits until a caller wants the lock, then takes the lock. Returns whether the thread should continue.
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
            // This cannot fail for a file that is open and locked.
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
