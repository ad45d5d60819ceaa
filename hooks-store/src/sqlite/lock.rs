//! Whose turn it is: a fair lock among processes, which ends with its holder.
//!
//! SQLite alone keeps two writers apart, but who waits there asks now and then, and starves beside one who asks all
//! the time. Here two files are locked with `flock`. Who wants to work takes `turn`, waits for `work`, and gives
//! `turn` back: so exactly one waits for `work`, nobody gets past it, and the kernel has the others stand in line.
//! Nothing but fairness depends on the files: delete them, and it is still SQLite that keeps writers apart.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
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
            let held = self.take_files(wait)?;
            if !self.files.are_deleted()? {
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
                return Ok(Held(Arc::clone(&self.files)));
            }
            self.files.turn.unlock()?;
        }
        let waiter = match &self.waiter {
            Some(waiter) => waiter,
            None => self.waiter.insert(Waiter::start(&self.files)?),
        };
        waiter.0.wait(wait)?;
        Ok(Held(Arc::clone(&self.files)))
    }
}

/// The lock is held until this is dropped.
#[derive(Debug)]
pub(super) struct Held(Arc<Files>);

impl Drop for Held {
    fn drop(&mut self) {
        // It cannot fail for a file that is open and locked; the end of the process would do it as well.
        let _unlocked = self.0.work.unlock();
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
            OpenOptions::new().create(true).truncate(false).write(true).open(path)
        };
        Ok(Self { turn: open("turn")?, work: open("lock")? })
    }

    #[cfg(unix)]
    fn are_deleted(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(self.work.metadata()?.nlink() == 0 || self.turn.metadata()?.nlink() == 0)
    }

    /// Where an open file cannot be deleted.
    #[cfg(not(unix))]
    fn are_deleted(&self) -> io::Result<bool> {
        Ok(false)
    }
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
        let thread = std::thread::Builder::new().name("hooks-store-lock".to_owned());
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
