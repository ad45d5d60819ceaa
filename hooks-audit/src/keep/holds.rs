//! Legal holds: what must not go, whatever its age.
//!
//! They stand in `holds.json` beside the files of the log, replaced as a whole; each change is on the record before, and
//! the record is what counts: [`Holds::check`].
//! Whoever deletes, compresses or erases has the lock of that file while it does, so that a hold that was acknowledged holds.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk};
use serde::{Deserialize, Serialize};

use super::said::Said;
use super::selection::{Selection, SelectionError};
use crate::record::{Record, notes};

const FILE: &str = "holds.json";
const LOCK: &str = "holds.lock";
/// How long somebody who deletes is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// More bytes than holds take.
const MOST: u64 = 4 << 20;

/// What must not go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hold {
    /// What it is called.
    pub name: String,
    /// Why it is.
    pub reason: String,
    /// Who asked for it.
    pub by: String,
    /// What it is about.
    pub of: Selection,
}

impl Hold {
    /// Holds what `of` means.
    pub fn new(
        name: impl Into<String>,
        reason: impl Into<String>,
        by: impl Into<String>,
        of: Selection,
    ) -> Self {
        Self { name: name.into(), reason: reason.into(), by: by.into(), of }
    }
}

/// Why a hold cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HoldError {
    /// There is one of this name.
    #[error("there is a hold `{0}` already; release it first, or choose another name")]
    Exists(String),
    /// The record has one of this name in force, about other records, which the file does not have.
    #[error(
        "the record has a hold `{name}` in force that is about something else, and `holds.json` does not have it: {was}; \
         say `hooks audit hold add {name}` as it was, or `hooks audit hold release {name}` first"
    )]
    InForce {
        /// What it is called.
        name: String,
        /// What the record says of it.
        was: String,
    },
    /// There is none.
    #[error("there is no hold `{0}`; `hooks audit hold list` shows all")]
    Unknown(String),
    /// It has no name, one that the record could not say, or no reason.
    #[error("a hold needs a name without \"`\", and a reason")]
    Unnamed,
    /// What it is about makes no sense.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The file or the log cannot be read or written.
    #[error("the holds cannot be changed: {0}")]
    Disk(#[from] io::Error),
}

/// The holds of a log, while nobody else changes them, deletes or erases.
pub struct Holds {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    all: Vec<Hold>,
    _lock: DiskLock,
}

impl Holds {
    /// Takes the holds of the log in `folder`.
    ///
    /// # Errors
    /// `TimedOut` where somebody else has them for longer than ten seconds, `InvalidData` where the file is not one of
    /// holds: nothing is deleted then; and whatever the disk answers.
    pub fn take(disk: Arc<dyn LogDisk>, folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        let lock = disk.lock(&folder.join(LOCK), PATIENCE)?;
        let all = Self::read(&*disk, &folder)?;
        Ok(Self { disk, folder, all, _lock: lock })
    }

    /// The holds of the log in `folder`, as they are now.
    ///
    /// # Errors
    /// `InvalidData` where the file is not one of holds, and whatever the disk answers.
    pub fn read(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<Hold>> {
        let Some(bytes) = disk.read(&folder.join(FILE), MOST)? else { return Ok(Vec::new()) };
        serde_json::from_slice(&bytes).map_err(|error| {
            let text = format!("`{FILE}` does not say what is held: {error}; put back what stood there");
            io::Error::new(ErrorKind::InvalidData, text)
        })
    }

    /// Makes sure that these are the holds that are in force by the record. To be asked before anything is deleted or
    /// erased. Looks through all of the log.
    ///
    /// # Errors
    /// `InvalidData` where one is missing, or is about something else than it was; whatever the disk answers.
    pub fn check(&self) -> io::Result<()> {
        self.said()?.check(&self.all)
    }

    /// What the record says of each hold in force that the file of the log in `folder` does not have as it was, in the order of
    /// their names: where there is one, nothing is deleted or erased. Nobody's lock is asked for. Looks through all of the log.
    ///
    /// # Errors
    /// As [`Holds::read`], and where a file of the log cannot be read.
    pub fn forgotten(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<String>> {
        let mut said = Said::default();
        said.read(disk, folder, &|| true)?;
        // Read behind the record, on which a hold stands first.
        let all = Self::read(disk, folder)?;
        Ok(said.forgotten(&all).into_iter().map(|(_, words)| words.to_owned()).collect())
    }

    /// What the record says of them.
    fn said(&self) -> io::Result<Said> {
        let mut said = Said::default();
        said.read(&*self.disk, &self.folder, &|| true)?;
        Ok(said)
    }

    /// All of them.
    pub fn all(&self) -> &[Hold] {
        &self.all
    }

    /// The hold that is about `record`.
    pub fn of(&self, record: &Record) -> Option<&Hold> {
        self.all.iter().find(|hold| hold.of.fits(record))
    }

    /// Adds a hold; `note` puts a record down, through to the device. Looks through all of the log: what is in force by the
    /// record under that name is not taken out of force by other words.
    ///
    /// # Errors
    /// Where there is one of that name, in the file, or by the record and about something else; it makes no sense; or
    /// something cannot be read or written: it holds nothing then.
    pub fn add(
        &mut self,
        hold: Hold,
        note: impl FnOnce(Record) -> io::Result<()>,
        at: hooks_core::time::Timestamp,
    ) -> Result<(), HoldError> {
        let is_name = !hold.name.trim().is_empty() && !hold.name.contains('`');
        if !is_name || hold.reason.trim().is_empty() {
            return Err(HoldError::Unnamed);
        }
        if self.all.iter().any(|other| other.name == hold.name) {
            return Err(HoldError::Exists(hold.name));
        }
        hold.of.check()?;
        let said = self.said()?;
        let forgotten = said.forgotten(&self.all).into_iter().find(|(name, _)| *name == hold.name);
        if let Some((_, was)) = forgotten.filter(|(_, was)| !is_about_the_same(&hold, was)) {
            return Err(HoldError::InForce { name: hold.name, was: was.to_owned() });
        }
        let text = numbered(&words(&hold), said.next_change());
        note(Record { note: Some(text), ..Record::new(notes::HELD, at) })?;
        let mut all = self.all.clone();
        all.push(hold);
        self.write(all)
    }

    /// Releases the hold `name`, which `by` asks for. One that the file does not have, and that is in force by the record, can
    /// be released as well.
    ///
    /// # Errors
    /// Where there is none, another one is in force by the record that the file does not have, or something cannot be
    /// written: it goes on holding then.
    pub fn release(
        &mut self,
        name: &str,
        by: &str,
        note: impl FnOnce(Record) -> io::Result<()>,
        at: hooks_core::time::Timestamp,
    ) -> Result<(), HoldError> {
        let mut all = self.all.clone();
        all.retain(|hold| hold.name != name);
        let said = self.said()?;
        let forgotten = said.forgotten(&self.all);
        if forgotten.iter().all(|(other, _)| *other != name) {
            if all.len() == self.all.len() {
                return Err(HoldError::Unknown(name.to_owned()));
            }
            said.check(&self.all)?;
        }
        let text = numbered(&format!("`{name}` is released ({by})"), said.next_change());
        note(Record { note: Some(text), ..Record::new(notes::RELEASED, at) })?;
        self.write(all)
    }

    /// Puts `all` in place of what stands in the file, at one moment.
    fn write(&mut self, all: Vec<Hold>) -> Result<(), HoldError> {
        let bytes = serde_json::to_vec_pretty(&all).map_err(io::Error::other)?;
        let (new, file) = (self.folder.join(format!("{FILE}.new")), self.folder.join(FILE));
        match self.disk.remove(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        self.disk.create(&new, &bytes)?;
        self.disk.rename(&new, &file)?;
        self.disk.sync_directory(&self.folder)?;
        self.all = all;
        Ok(())
    }
}

/// What stands on the record of a hold, before the number of the change.
pub(super) fn words(hold: &Hold) -> String {
    format!("{}{} ({})", what(hold), hold.reason, hold.by)
}

/// The first of those words: what is held.
fn what(hold: &Hold) -> String {
    format!("`{}` holds {}: ", hold.name, hold.of)
}

/// Whether these words on the record are of a hold of the same records, for whatever reason. Where the name of a session could
/// end in more than one place, only the same words are.
fn is_about_the_same(hold: &Hold, said: &str) -> bool {
    let why = said.strip_prefix(&what(hold));
    said == words(hold) || why.is_some_and(|why| !why.contains("`: "))
}

/// Between what is said of a hold and the number of that change. What is said ends with a bracket, so that no words of a
/// person are taken for a number.
const CHANGE: &str = "; change ";

/// What stands on the record of a change, whose number orders it among all changes of holds in the log.
fn numbered(words: &str, change: u64) -> String {
    format!("{words}{CHANGE}{change}")
}

/// The words of a note and the number of the change; that of one without is 0.
pub(super) fn apart(note: &str) -> (&str, u64) {
    let parts = note.rsplit_once(CHANGE);
    parts.and_then(|(words, change)| Some((words, change.parse().ok()?))).unwrap_or((note, 0))
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holds").field("folder", &self.folder).field("all", &self.all).finish_non_exhaustive()
    }
}
