//! Notes for the log about failures and unsupported wishes, which cannot be reported to the user at that
//! time.
//!
//! Standard error is not suitable: some clients read it in place of an answer, and most do not show it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
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

/// Bytes at the end of the log that are searched for the same line.
const LATEST: u64 = 32 << 10;

/// Time after which the same line is logged again.
const REPEATED: Duration = Duration::from_secs(600);

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
    let latest = latest(log).unwrap_or_default();
    let mut lines = String::new();
    for note in notes {
        // Each note is one line.
        let note: String = note.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = format!("{known}: {note}");
        if !is_repeated(&latest, &line, time) {
            lines.push_str(&format!("{time} {line}\n"));
        }
    }
    if lines.is_empty() { Ok(()) } else { open(log)?.write_all(lines.as_bytes()) }
}

/// The end of the log.
fn latest(log: &Path) -> io::Result<String> {
    let mut file = File::open(log)?;
    let start = file.metadata()?.len().saturating_sub(LATEST);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(LATEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether the log has this line from the last minutes. Otherwise a lasting problem, or a client that calls `hooks
/// run` several times for one event, would fill it.
fn is_repeated(latest: &str, line: &str, now: u64) -> bool {
    latest.lines().rev().any(|logged| {
        let Some((time, text)) = logged.split_once(' ') else { return false };
        let window = u64::try_from(REPEATED.as_millis()).unwrap_or_default();
        text == line && time.parse().is_ok_and(|time: u64| now.abs_diff(time) < window)
    })
}

/// Opens the log, which only the user can read, as it shows the work of agents.
fn open(log: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(log)
}
