//! A folder on a disk whose files are replaced atomically.
//!
//! A [`TeamPath`] is a path that stays within the folder. Before every step, each part of the path is checked,
//! so that a link leads nowhere. Reading takes no lock and sees each file as some writer left it.
//!
//! Writing goes through a [`Writer`], which holds the folder's lock against other processes and threads. A
//! new file is written next to its place, synced to the device, and then renamed. Only a [`Spool`] is filled
//! without the lock.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_core::testing::FakeDisk;
//! use hooks_core::time::SeededRandom;
//! use hooks_team::folder::{Folder, TeamPath};
//!
//! let disk = FakeDisk::default().with_directory("/repo");
//! let folder = Folder::new(Arc::new(disk), Arc::new(SeededRandom::default()), "/repo/.squad");
//! folder.create()?;
//! let place = TeamPath::new("notes.md")?;
//! let writer = folder.writer()?;
//! assert!(writer.publish(&place, b"one")?);
//! assert!(!writer.publish(&place, b"two")?); // the file exists: nothing is overwritten
//! assert_eq!(folder.read(&place)?.as_deref(), Some(&b"one"[..]));
//!
//! // A file is removed only if its content is what was seen.
//! assert!(!writer.remove(&place, b"two")?);
//! assert!(writer.remove(&place, b"one")?);
//! # Ok::<(), hooks_team::TeamError>(())
//! ```

mod aside;
mod spool;
mod team_path;
mod writer;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{Disk, EntryKind};
use hooks_core::time::Random;

pub use self::spool::{Left, Spool};
pub use self::team_path::TeamPath;
pub use self::writer::Writer;
use crate::error::TeamError;

/// The largest file that is read, in bytes.
pub(crate) const LARGEST: u64 = 64 << 20;

/// A folder with its disk and lock settings.
#[derive(Clone)]
pub struct Folder {
    disk: Arc<dyn Disk>,
    random: Arc<dyn Random>,
    root: PathBuf,
    patience: Duration,
}

impl Folder {
    /// Opens the folder at `root`. The path of `root` itself is trusted: links in it are followed.
    pub fn new(disk: Arc<dyn Disk>, random: Arc<dyn Random>, root: impl Into<PathBuf>) -> Self {
        Self { disk, random, root: root.into(), patience: Duration::from_secs(30) }
    }

    /// Sets the time that a writer waits for another one.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Returns the disk that has the folder.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads the file at `place`; returns `None` if it does not exist.
    ///
    /// # Errors
    /// Returns `Refused` if there is another kind of entry at the path or above it; `TooLarge` or `Io` if the
    /// file cannot be read.
    pub fn read(&self, place: &TeamPath) -> Result<Option<Vec<u8>>, TeamError> {
        self.read_up_to(place, LARGEST)
    }

    /// Reads a file of at most `limit` bytes.
    pub(crate) fn read_up_to(&self, place: &TeamPath, limit: u64) -> Result<Option<Vec<u8>>, TeamError> {
        self.check(place, EntryKind::File)?;
        self.disk.read(&self.path(place), limit).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => TeamError::TooLarge { place: place.to_string(), limit },
            _ => io_error(place, error),
        })
    }

    /// Lists the names in the folder at `place`, sorted; the list is empty if the folder does not exist.
    /// Hidden names and names that are not UTF-8 are left out.
    ///
    /// # Errors
    /// Returns `Refused` if there is another kind of entry at the path or above it; `Io` if the folder cannot
    /// be read.
    pub fn list(&self, place: &TeamPath) -> Result<Vec<String>, TeamError> {
        let mut names = self.list_all(place)?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    /// Whether there is an entry at `place`.
    ///
    /// # Errors
    /// Returns `Refused` if a part of the path above `place` is not a folder; `Io` if the disk cannot answer.
    pub fn exists(&self, place: &TeamPath) -> Result<bool, TeamError> {
        self.check_above(place)?;
        let entry = self.disk.entry(&self.path(place)).map_err(|error| io_error(place, error))?;
        Ok(entry.is_some())
    }

    /// Whether there is a folder at `place`, with only folders above it.
    pub(crate) fn is_folder(&self, place: &TeamPath) -> bool {
        self.check_above(place).is_ok() && self.check_one(place, EntryKind::Directory).unwrap_or(false)
    }

    /// Lists the names in the folder itself, sorted, without hidden ones.
    pub(crate) fn names(&self) -> Result<Vec<String>, TeamError> {
        let mut names = self.all_names()?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    fn all_names(&self) -> Result<Vec<String>, TeamError> {
        let names = self.disk.list(&self.root).map_err(|error| self.root_error(error))?;
        Ok(names.unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    fn root_error(&self, source: io::Error) -> TeamError {
        TeamError::Io { place: self.root.display().to_string(), source }
    }

    /// Creates the folder itself if it does not exist. Its parent has to exist.
    ///
    /// # Errors
    /// Returns an error if there is another kind of entry, or the folder cannot be created.
    pub fn create(&self) -> Result<(), TeamError> {
        self.disk.create_directory(&self.root).map_err(|error| self.root_error(error))?;
        let above = self.root.parent().filter(|above| !above.as_os_str().is_empty());
        above.map_or(Ok(()), |above| self.disk.sync_directory(above)).map_err(|error| self.root_error(error))
    }

    /// Waits for the folder's lock.
    ///
    /// # Errors
    /// Returns `Busy` if another writer holds the lock for too long, or another error if the folder does not
    /// exist.
    pub fn writer(&self) -> Result<Writer<'_>, TeamError> {
        Writer::new(self)
    }

    fn list_all(&self, place: &TeamPath) -> Result<Vec<String>, TeamError> {
        self.check(place, EntryKind::Directory)?;
        let names = self.disk.list(&self.path(place)).map_err(|error| io_error(place, error))?;
        Ok(names.unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    fn path(&self, place: &TeamPath) -> PathBuf {
        let mut path = self.root.clone();
        path.extend(place.parts());
        path
    }

    /// Returns an error if the entry at `place` is not `expected`, or an entry above it is not a folder.
    fn check(&self, place: &TeamPath, expected: EntryKind) -> Result<(), TeamError> {
        self.check_above(place)?;
        self.check_one(place, expected).map(drop)
    }

    fn check_above(&self, place: &TeamPath) -> Result<(), TeamError> {
        for above in place.above() {
            if !self.check_one(&above, EntryKind::Directory)? {
                break;
            }
        }
        Ok(())
    }

    /// Returns whether the entry at `place` exists and is `expected`, without a check of the folders above
    /// it.
    fn check_one(&self, place: &TeamPath, expected: EntryKind) -> Result<bool, TeamError> {
        let entry = self.disk.entry(&self.path(place)).map_err(|error| io_error(place, error))?;
        let Some(entry) = entry else { return Ok(false) };
        if entry.kind == expected {
            return Ok(true);
        }
        Err(TeamError::Refused {
            place: place.to_string(),
            what: match entry.kind {
                EntryKind::Symlink => "a link, which may lead anywhere",
                EntryKind::Directory => "a folder",
                EntryKind::File => "a file",
                _ => "neither a file nor a folder",
            },
            expected: if expected == EntryKind::Directory { "folder" } else { "file" },
        })
    }
}

impl std::fmt::Debug for Folder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folder").field("root", &self.root).finish_non_exhaustive()
    }
}

fn io_error(place: &TeamPath, source: io::Error) -> TeamError {
    TeamError::Io { place: place.to_string(), source }
}
