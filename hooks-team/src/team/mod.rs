//! A team folder as one thing: what there is, and the changes that keep it whole.
//!
//! Reading takes no lock. Every change holds the folder's lock, finishes what a killed process began, and is there
//! whole when it is acknowledged: two hundred processes at once lose nothing and write nothing twice.

mod archive;
mod change;
mod init;
mod layout;
mod read;
mod unload;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::Environment;
use hooks_core::fs::Disk;
use hooks_core::time::Clock;

pub use self::archive::Recovered;
pub use self::init::NewTeam;
pub use self::read::{Agent, Snapshot};
pub use self::unload::{Delivery, Unloaded};
use crate::error::TeamError;
use crate::folder::{Folder, Writer};
use crate::moves;

/// A team folder (`.squad`). Cheap to clone.
#[derive(Clone)]
pub struct Team {
    folder: Folder,
    /// The folder it stands in, where skills are kept too.
    project: Option<Folder>,
    clock: Arc<dyn Clock>,
}

impl Team {
    /// The team folder at `root`, which need not be there yet. Time and randomness are the environment's.
    ///
    /// The root itself is trusted; nothing below it is: a link there is refused, wherever it leads.
    pub fn new(disk: Arc<dyn Disk>, root: impl Into<PathBuf>, environment: &Environment) -> Self {
        let root = root.into();
        let project = root.parent().filter(|parent| !parent.as_os_str().is_empty());
        let project =
            project.map(|parent| Folder::new(Arc::clone(&disk), Arc::clone(&environment.random), parent));
        let folder = Folder::new(disk, Arc::clone(&environment.random), root);
        Self { folder, project, clock: Arc::clone(&environment.clock) }
    }

    /// How long a change waits for another one's end; 30 s unless told.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.folder = self.folder.with_patience(patience);
        self
    }

    /// Where the folder is.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// The folder itself, for files that this crate has no type for.
    pub const fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The right to change the folder, with nothing left unfinished.
    ///
    /// # Errors
    /// There is no such folder, somebody else holds it for too long, or what was begun cannot be finished.
    pub fn writer(&self) -> Result<Writer<'_>, TeamError> {
        let writer = self.folder.writer()?;
        moves::resume(&writer)?;
        Ok(writer)
    }
}

impl std::fmt::Debug for Team {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Team").field("folder", &self.folder).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
