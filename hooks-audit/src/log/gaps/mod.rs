//! Counts the records that are missing from a log until they can be reported in it; also across processes
//! that live for one event each.
//!
//! The counts are a small file in the first writable folder of a list, replaced as a whole under its own
//! lock. The process that opens the log next takes the file, writes a record about the counts, and removes
//! the file once the record is synced. A kill at any moment may count something twice, but never loses the
//! fact that there was a gap.

mod missing;

use std::fmt;
use std::io::{self, ErrorKind};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hooks_core::fs::{DiskLock, LogDisk};
use hooks_core::time::Timestamp;

pub use self::missing::Missing;
use crate::append::make_folder;
use crate::chain::Digest;

/// Longer than any file of counts, in bytes.
const MOST_BYTES: u64 = 64 << 10;
/// Time to wait for processes that add to the counts at the same time; each needs a few writes.
const PATIENCE: Duration = Duration::from_secs(1);
/// Length of the digest in a file name, in characters; it distinguishes logs whose counts are in one folder.
const TELLING: usize = 16;

/// Counts of records that are missing from one log. Clones share them.
///
/// The next process that opens the log reports what is missing:
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::log::{Gaps, Missing};
/// use hooks_audit::{Entry, Log, LogSettings, Positions, LogReader, Record, notes};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// let disk = Arc::new(FakeDisk::default());
/// let gaps = || Gaps::new(disk.clone(), Path::new("/log"), &["/state".into()]);
/// let before = gaps();
/// before.add(Missing::lost(2, Timestamp(5), "no room"));
/// before.keep()?;
///
/// let mut settings = LogSettings::new([7; 32]);
/// settings.gaps = Some(gaps());
/// let log = Log::open(disk.clone(), "/log", settings, Arc::new(StoppedClock(Timestamp(9))))?;
/// log.put_through(|| Entry::from(Record::new("stop", Timestamp(9))))?.wait()?;
/// log.close().wait()?;
/// let records = LogReader::new(disk.clone(), "/log", Positions::default()).read(10)?;
/// let gap = records.iter().find(|one| one.record.event == notes::GAP).ok_or("the gap is reported")?;
/// assert_eq!(gap.record.covers, [(1, 2)], "two records");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Gaps {
    places: Option<Places>,
    /// Counts that are in memory only.
    rest: Arc<Mutex<Missing>>,
}

/// Files that may hold counts.
#[derive(Clone)]
struct Places {
    disk: Arc<dyn LogDisk>,
    files: Arc<[PathBuf]>,
}

/// Counts taken from memory and files. The files stay locked, so that no other process takes them.
pub(super) struct TakenGaps {
    rest: Missing,
    kept: Missing,
    files: Vec<(PathBuf, DiskLock)>,
}

impl TakenGaps {
    /// All counts together.
    pub(super) fn missing(&self) -> Missing {
        let mut all = self.kept.clone();
        all.add(self.rest.clone());
        all
    }
}

impl Gaps {
    /// Counts for the log in `folder`. They are stored there if it is writable, otherwise in the first
    /// writable folder of `elsewhere`. All processes that write the log have to name the same folders. The
    /// [default](Self::default) stores nothing beyond this process.
    pub fn new(disk: Arc<dyn LogDisk>, folder: &Path, elsewhere: &[PathBuf]) -> Self {
        let name = Self::name(folder);
        let beside = folder.join("missing.json");
        let files = std::iter::once(beside).chain(elsewhere.iter().map(|other| other.join(&name)));
        Self { places: Some(Places { disk, files: files.collect() }), rest: Arc::default() }
    }

    /// Name of the file in another folder with the counts for the log in `folder`.
    pub fn name(folder: &Path) -> String {
        let digest = Digest::hash(&[folder.as_os_str().as_encoded_bytes()]).to_string();
        format!("missing-{}.json", digest.get(..TELLING).unwrap_or_default())
    }

    /// Adds counts in memory.
    pub fn add(&self, missing: Missing) {
        self.rest().add(missing);
    }

    /// Moves the counts from memory to a file where the next process finds them. Replaces one file and syncs
    /// its folder.
    ///
    /// # Errors
    /// Returns the error of the last folder if none of them can be written. The counts stay in memory then.
    pub fn keep(&self) -> io::Result<()> {
        self.keep_within(PATIENCE)
    }

    /// Works like [`Gaps::keep`], but waits at most `patience` in each folder for other processes that add
    /// counts.
    pub(super) fn keep_within(&self, patience: Duration) -> io::Result<()> {
        let Some(Places { disk, files }) = &self.places else { return Ok(()) };
        let mut failure = None;
        for file in files.iter() {
            if self.unkept().is_none() {
                return Ok(());
            }
            match self.add_to(&**disk, file, patience) {
                Ok(()) => return Ok(()),
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Moves the counts from memory into `file`.
    fn add_to(&self, disk: &dyn LogDisk, file: &Path, patience: Duration) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new(""));
        make_folder(disk, folder)?;
        // Other threads continue meanwhile: they may add more, or take everything.
        let _lock = disk.lock(&file.with_extension("lock"), patience)?;
        // From here on, no other thread may take the counts that are about to be written.
        let mut rest = self.rest();
        if rest.is_nothing() {
            return Ok(());
        }
        let mut all = read(disk, file, rest.since)?.unwrap_or_default();
        all.add(rest.clone());
        replace(disk, file, &all)?;
        disk.sync_directory(folder)?;
        *rest = Missing::default();
        Ok(())
    }

    /// Counts that are in memory only, and are lost when this process ends.
    pub fn unkept(&self) -> Option<Missing> {
        let rest = self.rest().clone();
        (!rest.is_nothing()).then_some(rest)
    }

    /// Whether anything is known to be missing. Looks for each file.
    pub(super) fn is_any(&self) -> bool {
        let is_kept = |Places { disk, files }: &Places| files.iter().any(|file| is_there(&**disk, file));
        self.unkept().is_some() || self.places.as_ref().is_some_and(is_kept)
    }

    /// Takes the counts from memory and from all files, at the time `now`. Files that another process is
    /// using are left to it.
    pub(super) fn find(&self, now: Timestamp) -> TakenGaps {
        let rest = mem::take(&mut *self.rest());
        let mut found = TakenGaps { rest, kept: Missing::default(), files: Vec::new() };
        let Some(Places { disk, files }) = &self.places else { return found };
        for file in files.iter().filter(|file| is_there(&**disk, file)) {
            let Ok(lock) = disk.lock(&file.with_extension("lock"), Duration::ZERO) else { continue };
            if let Ok(Some(missing)) = read(&**disk, file, now) {
                found.kept.add(missing);
                found.files.push((file.clone(), lock));
            }
        }
        found
    }

    /// Removes the files of `found` after the log has a record about them.
    pub(super) fn forget(&self, found: TakenGaps) {
        let Some(Places { disk, .. }) = &self.places else { return };
        for (file, _lock) in found.files {
            // A file that cannot be removed is reported twice, which is better than never.
            drop(disk.remove(&file));
        }
    }

    /// Puts the counts back into memory after they could not be recorded. The files stay.
    pub(super) fn put_back(&self, found: TakenGaps) {
        self.add(found.rest);
    }

    fn rest(&self) -> MutexGuard<'_, Missing> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Gaps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.places.as_ref().map(|places| &places.files);
        f.debug_struct("Gaps").field("files", &files).field("rest", &*self.rest()).finish()
    }
}

fn is_there(disk: &dyn LogDisk, file: &Path) -> bool {
    disk.entry(file).is_ok_and(|entry| entry.is_some())
}

/// Reads the counts in `file` at the time `now`; `None` if it does not exist.
fn read(disk: &dyn LogDisk, file: &Path, now: Timestamp) -> io::Result<Option<Missing>> {
    let text = match disk.read(file, MOST_BYTES) {
        Ok(None) => return Ok(None),
        Ok(Some(text)) => text,
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Vec::new(),
        Err(error) => return Err(error),
    };
    // A file that cannot be parsed counts as one missing record, so that damaging it hides no gap.
    let spoilt = || Missing::lost(1, now, &format!("`{}` cannot be read", file.display()));
    let missing = serde_json::from_slice(&text).ok().filter(|missing: &Missing| !missing.is_nothing());
    Ok(Some(missing.map_or_else(spoilt, |missing| missing.bounded(now))))
}

/// Replaces the content of `file` with `all`.
fn replace(disk: &dyn LogDisk, file: &Path, all: &Missing) -> io::Result<()> {
    let new = file.with_extension("new");
    match disk.remove(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let made = disk.create(&new, &serde_json::to_vec(all)?).and_then(|()| disk.rename(&new, file));
    if made.is_err() {
        // A part of the file has no use; the next process creates it anew.
        drop(disk.remove(&new));
    }
    made
}

#[cfg(test)]
mod tests;
