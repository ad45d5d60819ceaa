//! Legal holds: records that must not be deleted or erased, whatever their age.
//!
//! Holds are stored in `holds.json` beside the files of the log, which is replaced as a whole. Each change is
//! recorded before it is made, and the log is authoritative: [`Holds::check`]. A process that deletes,
//! compresses or erases holds the lock of that file meanwhile, so that an acknowledged hold is obeyed.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk};
use serde::{Deserialize, Serialize};

use super::hold_notes::HoldNotes;
use super::selection::{Selection, SelectionError};
use crate::record::{Record, notes};

const FILE: &str = "holds.json";
const LOCK: &str = "holds.lock";
/// Time to wait for a process that deletes.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longer than any file of holds, in bytes.
const MOST: u64 = 4 << 20;

/// A legal hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Hold {
    /// Name of the hold.
    pub name: String,
    /// Reason for the hold.
    pub reason: String,
    /// Person who requested the hold.
    pub by: String,
    /// Records that must not be deleted or erased.
    pub of: Selection,
}

impl Hold {
    /// Creates a hold on the records that `of` selects.
    pub fn new(
        name: impl Into<String>,
        reason: impl Into<String>,
        by: impl Into<String>,
        of: Selection,
    ) -> Self {
        Self { name: name.into(), reason: reason.into(), by: by.into(), of }
    }
}

/// Reason why a hold cannot be changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HoldError {
    /// A hold with this name exists.
    #[error("there is a hold `{0}` already; release it first, or choose another name")]
    Exists(String),
    /// According to the log, a hold with this name on other records is in force; the file does not have it.
    #[error(
        "the record has a hold `{name}` in force that is about something else, and `holds.json` does not have it: {was}; run `hooks audit hold add {name}` as it was, or `hooks audit hold release {name}` first"
    )]
    InForce {
        /// Name of the hold.
        name: String,
        /// Description of the hold in the log.
        was: String,
    },
    /// No hold has this name.
    #[error("there is no hold `{0}`; `hooks audit hold list` shows all")]
    Unknown(String),
    /// The name is missing or contains a backtick, or the reason is missing.
    #[error("a hold needs a name without \"`\", and a reason")]
    Unnamed,
    /// The selection is not valid.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The file or the log cannot be read or written.
    #[error("the holds cannot be changed: {0}")]
    Disk(#[from] io::Error),
}

/// The holds of a log, locked: no other process changes holds, deletes or erases meanwhile.
///
/// ```
/// use std::sync::Arc;
/// use hooks_audit::Record;
/// use hooks_audit::keep::{Hold, Holds, Selection};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::Timestamp;
/// use serde_json::{from_value, json};
///
/// let disk = Arc::new(FakeDisk::default().with_directory("/log"));
/// let mut holds = Holds::take(disk, "/log")?;
/// let of: Selection = from_value(json!({"session": "s1"}))?;
/// // The closure writes the record about the hold to the log, and syncs it.
/// holds.add(Hold::new("case-7", "a lawsuit", "ada", of), |_record| Ok(()), Timestamp(1))?;
///
/// let mut record = Record::new("stop", Timestamp(1));
/// assert!(holds.hold_on(&record).is_none());
/// record.session = "s1".to_owned();
/// assert_eq!(holds.hold_on(&record).map(|hold| &*hold.name), Some("case-7"));
/// let unnamed = Hold::new("", "a lawsuit", "ada", Selection::default());
/// assert!(holds.add(unnamed, |_| Ok(()), Timestamp(1)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Holds {
    disk: Arc<dyn LogDisk>,
    folder: PathBuf,
    all: Vec<Hold>,
    _lock: DiskLock,
}

impl Holds {
    /// Locks and reads the holds of the log in `folder`.
    ///
    /// # Errors
    /// Returns `TimedOut` if another process has them locked for more than ten seconds, `InvalidData` if the
    /// file cannot be parsed, or any other error if the disk fails. In all cases nothing may be deleted.
    pub fn take(disk: Arc<dyn LogDisk>, folder: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = folder.into();
        let lock = disk.lock(&folder.join(LOCK), PATIENCE)?;
        let all = Self::read(&*disk, &folder)?;
        Ok(Self { disk, folder, all, _lock: lock })
    }

    /// Reads the present holds of the log in `folder`.
    ///
    /// # Errors
    /// Returns `InvalidData` if the file cannot be parsed; any other error if the disk fails.
    pub fn read(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<Hold>> {
        let Some(bytes) = disk.read(&folder.join(FILE), MOST)? else { return Ok(Vec::new()) };
        serde_json::from_slice(&bytes).map_err(|error| {
            let text = format!("`{FILE}` cannot be parsed: {error}; restore its content");
            io::Error::new(ErrorKind::InvalidData, text)
        })
    }

    /// Checks that these are the holds in force according to the log. Call it before anything is deleted or
    /// erased. Reads all of the log.
    ///
    /// # Errors
    /// Returns `InvalidData` if a hold is missing or selects other records than the log states; any other
    /// error if the disk fails.
    ///
    /// ```
    /// use std::path::Path;
    /// use std::sync::Arc;
    /// use hooks_audit::keep::{Hold, Holds, Selection};
    /// use hooks_audit::{Appender, AppendSettings};
    /// use hooks_core::fs::Disk;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::{StoppedClock, Timestamp};
    ///
    /// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
    /// let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
    /// let mut holds = Holds::take(disk.clone(), "/log")?;
    /// let hold = Hold::new("case-7", "a lawsuit", "ada", Selection::default());
    /// holds.add(hold, |record| appender.note(record), Timestamp(1))?;
    /// holds.check()?;
    /// drop(holds);
    ///
    /// // Without its file, the hold is still in force, because the log has it.
    /// disk.remove(Path::new("/log/holds.json"))?;
    /// let error = Holds::take(disk, "/log")?.check().err().map(|error| error.to_string());
    /// assert!(error.is_some_and(|error| error.contains("hold `case-7` is in force")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self) -> io::Result<()> {
        self.hold_notes()?.check(&self.all)
    }

    /// Returns the description of each hold in force according to the log that the file in `folder` does not
    /// have unchanged, sorted by name. If there is one, nothing is deleted or erased. Takes no lock. Reads
    /// all of the log.
    ///
    /// # Errors
    /// Returns the errors of [`Holds::read`], or an error if a file of the log cannot be read.
    pub fn forgotten(disk: &dyn LogDisk, folder: &Path) -> io::Result<Vec<String>> {
        let mut hold_notes = HoldNotes::default();
        hold_notes.read(disk, folder, &|| true)?;
        // Read after the log, because a hold is recorded before it is in the file.
        let all = Self::read(disk, folder)?;
        Ok(hold_notes.forgotten(&all).into_iter().map(|(_, words)| words.to_owned()).collect())
    }

    /// Reads the changes of holds from the log.
    fn hold_notes(&self) -> io::Result<HoldNotes> {
        let mut hold_notes = HoldNotes::default();
        hold_notes.read(&*self.disk, &self.folder, &|| true)?;
        Ok(hold_notes)
    }

    /// All holds.
    pub fn all(&self) -> &[Hold] {
        &self.all
    }

    /// The hold that selects `record`.
    pub fn hold_on(&self, record: &Record) -> Option<&Hold> {
        self.all.iter().find(|hold| hold.of.fits(record))
    }

    /// Adds a hold; `note` writes a record and syncs it. Reads all of the log: a hold in force with the same
    /// name cannot be replaced by one on other records.
    ///
    /// # Errors
    /// Returns an error if a hold with this name is in the file, or is in force on other records according to
    /// the log; if the hold is not valid; or if the disk fails. The hold is not in force then.
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
        let hold_notes = self.hold_notes()?;
        let forgotten = hold_notes.forgotten(&self.all).into_iter().find(|(name, _)| *name == hold.name);
        if let Some((_, was)) = forgotten.filter(|(_, was)| !is_about_the_same(&hold, was)) {
            return Err(HoldError::InForce { name: hold.name, was: was.to_owned() });
        }
        let text = numbered(&words(&hold), hold_notes.next_change());
        note(Record { note: Some(text), ..Record::new(notes::HELD, at) })?;
        let mut all = self.all.clone();
        all.push(hold);
        self.write(all)
    }

    /// Releases the hold `name` at the request of `by`. This also works for a hold that is in force according
    /// to the log but missing from the file.
    ///
    /// # Errors
    /// Returns an error if no hold has this name, if the file lacks another hold that is in force according
    /// to the log, or if the disk fails. The hold stays in force then.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_audit::keep::{Hold, Holds, Selection};
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_core::time::Timestamp;
    ///
    /// let mut holds = Holds::take(Arc::new(FakeDisk::default().with_directory("/log")), "/log")?;
    /// let hold = Hold::new("case-7", "a lawsuit", "ada", Selection::default());
    /// holds.add(hold, |_record| Ok(()), Timestamp(1))?;
    /// let error = holds.release("case-8", "bob", |_record| Ok(()), Timestamp(2)).err();
    /// assert_eq!(
    ///     error.map(|error| error.to_string()).as_deref(),
    ///     Some("there is no hold `case-8`; `hooks audit hold list` shows all")
    /// );
    /// // The release is recorded with the person who requested it.
    /// let mut note = None;
    /// let put = |record: hooks_audit::Record| { note = record.note; Ok(()) };
    /// holds.release("case-7", "bob", put, Timestamp(2))?;
    /// assert_eq!(note.as_deref(), Some("`case-7` is released (bob); change 1"));
    /// assert!(holds.all().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn release(
        &mut self,
        name: &str,
        by: &str,
        note: impl FnOnce(Record) -> io::Result<()>,
        at: hooks_core::time::Timestamp,
    ) -> Result<(), HoldError> {
        let mut all = self.all.clone();
        all.retain(|hold| hold.name != name);
        let hold_notes = self.hold_notes()?;
        let forgotten = hold_notes.forgotten(&self.all);
        if forgotten.iter().all(|(other, _)| *other != name) {
            if all.len() == self.all.len() {
                return Err(HoldError::Unknown(name.to_owned()));
            }
            hold_notes.check(&self.all)?;
        }
        let text = numbered(&format!("`{name}` is released ({by})"), hold_notes.next_change());
        note(Record { note: Some(text), ..Record::new(notes::RELEASED, at) })?;
        self.write(all)
    }

    /// Replaces the file with `all`, atomically.
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

/// Description of a hold in the log, before the number of the change.
pub(super) fn words(hold: &Hold) -> String {
    format!("{}{} ({})", what(hold), hold.reason, hold.by)
}

/// First part of the description: the selected records.
fn what(hold: &Hold) -> String {
    format!("`{}` holds {}: ", hold.name, hold.of)
}

/// Whether this description in the log is of a hold on the same records, for any reason. If the end of a
/// session's name is ambiguous, the whole description has to be equal.
fn is_about_the_same(hold: &Hold, hold_notes: &str) -> bool {
    let why = hold_notes.strip_prefix(&what(hold));
    hold_notes == words(hold) || why.is_some_and(|why| !why.contains("`: "))
}

/// Separator between the description of a hold and the number of the change. A description ends with a
/// parenthesis, so that no text of a person is taken for a number.
const CHANGE: &str = "; change ";

/// Note about a change. Its number orders it among all changes of holds in the log.
fn numbered(words: &str, change: u64) -> String {
    format!("{words}{CHANGE}{change}")
}

/// Splits a note into the description and the number of the change; without a number, it is 0.
pub(super) fn apart(note: &str) -> (&str, u64) {
    let parts = note.rsplit_once(CHANGE);
    parts.and_then(|(words, change)| Some((words, change.parse().ok()?))).unwrap_or((note, 0))
}

impl std::fmt::Debug for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Holds").field("folder", &self.folder).field("all", &self.all).finish_non_exhaustive()
    }
}
