//! Where a session's team folder is.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hooks_core::HookContext;
use hooks_core::fs::{Disk, EntryKind};
use hooks_team::Team;

/// The team folder of a session: the same for all, or the one in the folder that the session works in.
#[derive(Clone)]
pub struct TeamPlace(Where);

#[derive(Clone)]
enum Where {
    Fixed(Team),
    Below(Arc<dyn Disk>, PathBuf),
}

impl TeamPlace {
    /// The folder `name` in the folder that a session works in. Where there is none, there is no team.
    pub fn below(disk: Arc<dyn Disk>, name: impl Into<PathBuf>) -> Self {
        Self(Where::Below(disk, name.into()))
    }

    /// The team of a session, where it has one. This may wait for the disk.
    pub fn team(&self, context: &HookContext) -> Option<Team> {
        match &self.0 {
            Where::Fixed(team) => Some(team.clone()),
            Where::Below(disk, name) => {
                let root = context.root().join(name);
                let entry = disk.entry(&root).ok()??;
                (entry.kind == EntryKind::Directory)
                    .then(|| Team::new(Arc::clone(disk), root, &context.environment))
            }
        }
    }

    /// What the folder is called from the project on.
    pub(crate) fn name(&self) -> PathBuf {
        match &self.0 {
            Where::Fixed(team) => team.root().file_name().map(PathBuf::from).unwrap_or_default(),
            Where::Below(_, name) => name.clone(),
        }
    }
}

impl From<Team> for TeamPlace {
    fn from(team: Team) -> Self {
        Self(Where::Fixed(team))
    }
}

impl fmt::Debug for TeamPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Where::Fixed(team) => f.debug_tuple("TeamPlace").field(team).finish(),
            Where::Below(_, name) => f.debug_tuple("TeamPlace").field(name).finish(),
        }
    }
}
