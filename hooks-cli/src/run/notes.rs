//! Notes for the log about failures and unsupported wishes, which cannot be reported to the user at that
//! time.
//!
//! Standard error is not suitable: some clients read it in place of an answer, and most do not show it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use hooks::config::places::Places;
use hooks::event::EventKind;
use hooks::time::Clock;
use hooks::{FailureSink, HookContext, Reason, SystemClock};
use hooks_protocols::Degraded;

use super::caller::Known;

/// Length in bytes at which the log is renamed, replacing the previous renamed one.
const LONGEST: u64 = 1 << 20;

/// The notes of one event.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Notes that no hook could be called.
    pub(super) fn failed(&self, reason: &str) {
        self.add(format!("failed: {reason}"));
    }

    /// Notes the wishes that the client does not support as they are meant.
    pub(super) fn degraded(&self, notes: &[Degraded]) {
        for note in notes {
            self.add(note.to_string());
        }
    }

    /// Notes panics that were handled.
    pub(super) fn panicked(&self, panics: &[String]) {
        for panic in panics {
            self.add(format!("panicked: {panic}"));
        }
    }

    fn add(&self, note: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Writes the notes, and waits at most this time for it, so that a denial is not delayed.
    pub(super) fn write_within(&self, patience: Duration, known: Known) {
        let (notes, (done, written)) = (self.clone(), mpsc::channel());
        let writer = thread::Builder::new().spawn(move || {
            notes.write(&known);
            // The receiver may have stopped waiting.
            let _ = done.send(());
        });
        if writer.is_ok() {
            let _ = written.recv_timeout(patience);
        }
    }

    /// Writes the notes to the log. A failure to write changes no answer.
    pub(super) fn write(&self, known: &Known) {
        let notes = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        if let (false, Some(log)) = (notes.is_empty(), place()) {
            drop(append(&log, known, &notes));
        }
    }
}

impl FailureSink for Notes {
    fn record(&self, _context: &HookContext, event: EventKind, reason: &Reason) {
        self.add(format!("{} failed at {event}: {}", reason.policy, reason.message));
    }
}

/// The log, in the user's state folder (XDG base directories).
fn place() -> Option<PathBuf> {
    Some(Places::here().state()?.join("hooks").join("run.log"))
}

fn append(log: &Path, known: &Known, notes: &[String]) -> io::Result<()> {
    if let Some(folder) = log.parent() {
        fs::create_dir_all(folder)?;
    }
    if fs::metadata(log).is_ok_and(|log| log.len() > LONGEST) {
        fs::rename(log, log.with_extension("log.1"))?;
    }
    let time = SystemClock.now().0;
    let mut lines = String::new();
    for note in notes {
        // Each note is one line.
        let note: String = note.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        lines.push_str(&format!("{time} {known}: {note}\n"));
    }
    open(log)?.write_all(lines.as_bytes())
}

/// Opens the log, which only the user can read, as it shows the work of agents.
fn open(log: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(log)
}
