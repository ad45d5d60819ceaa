//! A folder on a disk, whose files are replaced whole and never left half.
//!
//! A [`Place`] is a path that stays within the folder; what stands on the way to it is asked before every step, so that
//! a link leads nowhere. Reading takes no lock and sees each file as some writer left it. Writing goes through a
//! [`Writer`], which holds the folder's lock against other processes and threads: a new file is written beside its
//! place, through to the device, and then takes its name at one moment. Only a [`Spool`] is filled without the lock.

mod aside;
mod place;
mod spool;
mod writer;

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::fs::{Disk, EntryKind};
use hooks_core::time::Random;

pub use self::place::Place;
pub use self::spool::{Left, Spool};
pub use self::writer::Writer;
use crate::error::TeamError;

/// The largest file that is read.
pub(crate) const LARGEST: u64 = 64 << 20;

/// A folder, read and written.
#[derive(Clone)]
pub struct Folder {
    disk: Arc<dyn Disk>,
    random: Arc<dyn Random>,
    root: PathBuf,
    patience: Duration,
}

impl Folder {
    /// The folder at `root`. Its own path is trusted: links on the way to it are followed.
    pub fn new(disk: Arc<dyn Disk>, random: Arc<dyn Random>, root: impl Into<PathBuf>) -> Self {
        Self { disk, random, root: root.into(), patience: Duration::from_secs(30) }
    }

    /// How long a writer waits for another.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The content of the file at `place`; `None` where there is none.
    ///
    /// # Errors
    /// Something else stands there or on the way, or it cannot be read.
    pub fn read(&self, place: &Place) -> Result<Option<Vec<u8>>, TeamError> {
        self.read_up_to(place, LARGEST)
    }

    /// The same of a file that has `limit` bytes at most.
    pub(crate) fn read_up_to(&self, place: &Place, limit: u64) -> Result<Option<Vec<u8>>, TeamError> {
        self.check(place, EntryKind::File)?;
        self.disk.read(&self.path(place), limit).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => TeamError::TooLarge { place: place.to_string(), limit },
            _ => io_error(place, error),
        })
    }

    /// The names in the folder at `place`, sorted; none where there is no folder. Hidden ones and those that are no
    /// text are left out.
    ///
    /// # Errors
    /// Something else stands there or on the way, or it cannot be read.
    pub fn list(&self, place: &Place) -> Result<Vec<String>, TeamError> {
        let mut names = self.list_all(place)?;
        names.retain(|name| !name.starts_with('.'));
        Ok(names)
    }

    /// Whether anything stands at `place`.
    ///
    /// # Errors
    /// A link stands there or on the way, or that cannot be told.
    pub fn exists(&self, place: &Place) -> Result<bool, TeamError> {
        self.check_above(place)?;
        let entry = self.disk.entry(&self.path(place)).map_err(|error| io_error(place, error))?;
        Ok(entry.is_some())
    }

    /// Whether a folder stands at `place`, and only folders on the way.
    pub(crate) fn is_folder(&self, place: &Place) -> bool {
        self.check_above(place).is_ok() && self.check_one(place, EntryKind::Directory).unwrap_or(false)
    }

    /// The names in the folder itself, sorted, without hidden ones.
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

    /// Makes the folder itself unless it is there. The one above it has to be.
    ///
    /// # Errors
    /// Something else stands there, or it cannot be made.
    pub fn create(&self) -> Result<(), TeamError> {
        self.disk.create_directory(&self.root).map_err(|error| self.root_error(error))?;
        let above = self.root.parent().filter(|above| !above.as_os_str().is_empty());
        above.map_or(Ok(()), |above| self.disk.sync_directory(above)).map_err(|error| self.root_error(error))
    }

    /// Waits for the folder's lock.
    ///
    /// # Errors
    /// Somebody else holds it for too long, or there is no such folder.
    pub fn writer(&self) -> Result<Writer<'_>, TeamError> {
        Writer::new(self)
    }

    fn list_all(&self, place: &Place) -> Result<Vec<String>, TeamError> {
        self.check(place, EntryKind::Directory)?;
        let names = self.disk.list(&self.path(place)).map_err(|error| io_error(place, error))?;
        Ok(names.unwrap_or_default().into_iter().filter_map(|name| name.into_string().ok()).collect())
    }

    fn path(&self, place: &Place) -> PathBuf {
        let mut path = self.root.clone();
        path.extend(place.parts());
        path
    }

    /// Refuses what is not `expected` at `place`, and what is no folder on the way there.
    fn check(&self, place: &Place, expected: EntryKind) -> Result<(), TeamError> {
        self.check_above(place)?;
        self.check_one(place, expected).map(drop)
    }

    fn check_above(&self, place: &Place) -> Result<(), TeamError> {
        for above in place.above() {
            if !self.check_one(&above, EntryKind::Directory)? {
                break;
            }
        }
        Ok(())
    }

    /// Whether what is `expected` stands at `place`, on the way to which only folders are.
    fn check_one(&self, place: &Place, expected: EntryKind) -> Result<bool, TeamError> {
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

fn io_error(place: &Place, source: io::Error) -> TeamError {
    TeamError::Io { place: place.to_string(), source }
}
