//! A team folder: its contents, and the changes that keep it consistent.
//!
//! Reading takes no lock. Every change holds the folder's lock, first finishes the work of killed processes,
//! and is complete when it is acknowledged: two hundred processes at once lose nothing and write nothing
//! twice.

mod archive;
mod change;
mod drafts;
mod held;
mod init;
mod layout;
mod read;
mod stated;
mod unload;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_core::Environment;
use hooks_core::fs::Disk;
use hooks_core::time::Clock;

pub use self::archive::Recovered;
pub use self::drafts::{NewCharter, NewRoute};
pub use self::held::{HeldCeremony, Participants};
pub use self::init::NewTeam;
pub use self::read::{Agent, Snapshot};
pub use self::stated::{StatedFiles, StatedIn, StatedWord};
pub use self::unload::{Delivery, Unloaded};
use crate::error::TeamError;
use crate::folder::{Folder, Writer};
use crate::moves;

/// A team folder (`.squad`). Cheap to clone.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::Environment;
/// use hooks_core::testing::FakeDisk;
/// use hooks_team::{NewTeam, Team};
///
/// let disk = FakeDisk::default().with_directory("/repo");
/// let team = Team::new(Arc::new(disk), "/repo/.squad", &Environment::detached());
/// assert!(team.writer().is_err()); // there is no folder yet
/// team.init(&NewTeam::default())?;
/// assert!(team.writer().is_ok());
/// assert!(team.inbox()?.is_empty());
/// # Ok::<(), hooks_team::TeamError>(())
/// ```
#[derive(Clone)]
pub struct Team {
    folder: Folder,
    /// Parent folder, which can have skills too.
    project: Option<Folder>,
    clock: Arc<dyn Clock>,
}

impl Team {
    /// Uses the team folder at `root`, which does not have to exist yet. The clock and the random source come
    /// from `environment`.
    ///
    /// The root itself is trusted; entries below it are not: a link there is an error, wherever it leads.
    pub fn new(disk: Arc<dyn Disk>, root: impl Into<PathBuf>, environment: &Environment) -> Self {
        let root = root.into();
        let project = root.parent().filter(|parent| !parent.as_os_str().is_empty());
        let project =
            project.map(|parent| Folder::new(Arc::clone(&disk), Arc::clone(&environment.random), parent));
        let folder = Folder::new(disk, Arc::clone(&environment.random), root);
        Self { folder, project, clock: Arc::clone(&environment.clock) }
    }

    /// Sets the time that a change waits for another one; 30 s by default.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.folder = self.folder.with_patience(patience);
        self
    }

    /// Returns the path of the folder.
    pub fn root(&self) -> &Path {
        self.folder.root()
    }

    /// Returns the folder itself, for files without a type in this crate.
    pub const fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Locks the folder for changes, and finishes the work of killed processes.
    ///
    /// # Errors
    /// Returns an error if the folder does not exist, or a move in progress cannot be finished; `Busy` if
    /// another writer holds the lock for too long.
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
