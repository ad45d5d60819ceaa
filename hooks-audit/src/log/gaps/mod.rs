//! Remembers what is not in a log until somebody can say so there: also across processes, of which each may live for one
//! event only.
//!
//! The sum is a small file in the first of a few places that can be written, replaced whole under a lock of its own. Whoever
//! opens the log next takes it, puts a record about it down, and takes the file away once that is on the device. So a kill at
//! any moment may count something twice; that there was a gap is never forgotten.

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

/// More than a sum ever takes.
const MOST_BYTES: u64 = 64 << 10;
/// The longest that others are waited for who add to a sum at the same time; each takes a few writes.
const PATIENCE: Duration = Duration::from_secs(1);
/// So many characters of a digest tell the sums of logs apart that are kept in one folder.
const TELLING: usize = 16;

/// What is not in one log. Clones share it.
#[derive(Clone, Default)]
pub struct Gaps {
    places: Option<Places>,
    /// What is kept in no place yet.
    rest: Arc<Mutex<Missing>>,
}

/// Where sums are kept, by which they are found again.
#[derive(Clone)]
struct Places {
    disk: Arc<dyn LogDisk>,
    files: Arc<[PathBuf]>,
}

/// What was found; nobody else finds it meanwhile.
pub(super) struct Found {
    rest: Missing,
    kept: Missing,
    files: Vec<(PathBuf, DiskLock)>,
}

impl Found {
    /// All of it.
    pub(super) fn missing(&self) -> Missing {
        let mut all = self.kept.clone();
        all.add(self.rest.clone());
        all
    }
}

impl Gaps {
    /// Of the log in `folder`: kept there, where it can be written, else in the first of the folders `elsewhere` that can. All
    /// processes that write the log have to name the same ones. The [default](Self::default) keeps nothing beyond this process.
    pub fn new(disk: Arc<dyn LogDisk>, folder: &Path, elsewhere: &[PathBuf]) -> Self {
        let name = Self::name(folder);
        let beside = folder.join("missing.json");
        let files = std::iter::once(beside).chain(elsewhere.iter().map(|other| other.join(&name)));
        Self { places: Some(Places { disk, files: files.collect() }), rest: Arc::default() }
    }

    /// The name of the file in which it is kept elsewhere what is missing from the log in `folder`.
    pub fn name(folder: &Path) -> String {
        let digest = Digest::of(&[folder.as_os_str().as_encoded_bytes()]).to_string();
        format!("missing-{}.json", digest.get(..TELLING).unwrap_or_default())
    }

    /// Adds what is missing, in memory.
    pub fn add(&self, missing: Missing) {
        self.rest().add(missing);
    }

    /// Puts what is in memory where the next process finds it: one file replaced, and the folder written through.
    ///
    /// # Errors
    /// Where none of the places can be written, what the last of them answered. It stays in memory then.
    pub fn keep(&self) -> io::Result<()> {
        self.keep_within(PATIENCE)
    }

    /// As [`Gaps::keep`] does; whoever adds to the same sum is waited for no longer than `patience` in each place.
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

    /// Moves what is in memory to what `file` says.
    fn add_to(&self, disk: &dyn LogDisk, file: &Path, patience: Duration) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new(""));
        make_folder(disk, folder)?;
        // Others go on meanwhile: more is added, or all of it is taken.
        let _lock = disk.lock(&file.with_extension("lock"), patience)?;
        // From here on nobody may take what is about to be written.
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

    /// What is in memory alone, and ends with this process.
    pub fn unkept(&self) -> Option<Missing> {
        let rest = self.rest().clone();
        (!rest.is_nothing()).then_some(rest)
    }

    /// Whether anything is known to be missing: a look at each place.
    pub(super) fn is_any(&self) -> bool {
        let is_kept = |Places { disk, files }: &Places| files.iter().any(|file| is_there(&**disk, file));
        self.unkept().is_some() || self.places.as_ref().is_some_and(is_kept)
    }

    /// Takes what is missing, in memory and in all places, at the moment `now`. What somebody else is taking or adding to is
    /// left to them.
    pub(super) fn find(&self, now: Timestamp) -> Found {
        let rest = mem::take(&mut *self.rest());
        let mut found = Found { rest, kept: Missing::default(), files: Vec::new() };
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

    /// The log says what was `found`.
    pub(super) fn forget(&self, found: Found) {
        let Some(Places { disk, .. }) = &self.places else { return };
        for (file, _lock) in found.files {
            // What stays is said once more, which is better than never.
            drop(disk.remove(&file));
        }
    }

    /// The log could not say what was `found`. What stands in files stays there.
    pub(super) fn put_back(&self, found: Found) {
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

/// What `file` says, read at the moment `now`; `None` where there is none.
fn read(disk: &dyn LogDisk, file: &Path, now: Timestamp) -> io::Result<Option<Missing>> {
    let text = match disk.read(file, MOST_BYTES) {
        Ok(None) => return Ok(None),
        Ok(Some(text)) => text,
        Err(error) if error.kind() == ErrorKind::FileTooLarge => Vec::new(),
        Err(error) => return Err(error),
    };
    // Whoever spoils it does not make it say that nothing is missing.
    let spoilt = || Missing::lost(1, now, &format!("`{}` cannot be read", file.display()));
    let missing = serde_json::from_slice(&text).ok().filter(|missing: &Missing| !missing.is_nothing());
    Ok(Some(missing.map_or_else(spoilt, |missing| missing.bounded(now))))
}

/// Puts what is missing in `all` in place of what `file` says.
fn replace(disk: &dyn LogDisk, file: &Path, all: &Missing) -> io::Result<()> {
    let new = file.with_extension("new");
    match disk.remove(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let made = disk.create(&new, &serde_json::to_vec(all)?).and_then(|()| disk.rename(&new, file));
    if made.is_err() {
        // A part of it is of no use to anybody; whoever comes next tries the same.
        drop(disk.remove(&new));
    }
    made
}

#[cfg(test)]
mod tests;
