//! Location of a session's team folder.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::fs::{Disk, EntryKind};

use crate::{Team, TeamError, worktree};

/// Location of the team folder of a session: one fixed folder, or a folder below the session's working
/// directory. Cheap to clone.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::HookContext;
/// use hooks_core::testing::FakeDisk;
/// use hooks_team::TeamPlace;
///
/// let disk = Arc::new(FakeDisk::default().with_directory("/repo/.squad"));
/// let place = TeamPlace::below(disk, ".squad").of_tenants(["acme".to_owned()]);
/// let session = |folder| HookContext::new("session-1", "backend").in_dir(folder);
/// assert!(place.team(&session("/repo").for_tenant("acme")).is_some());
/// assert!(place.team(&session("/other").for_tenant("acme")).is_none()); // no such folder
/// assert!(place.team(&session("/repo")).is_none()); // another tenant, or none
/// ```
#[derive(Clone)]
pub struct TeamPlace {
    folder: Where,
    /// Tenants whose sessions use the folder; empty for all sessions.
    tenants: Arc<[String]>,
    patience: Option<Duration>,
}

#[derive(Clone)]
enum Where {
    Fixed(Team),
    Below(Arc<dyn Disk>, PathBuf),
}

impl TeamPlace {
    /// Uses the folder `name` in the session's working directory. If that is a further working copy of a Git repository
    /// without such a folder, it is the one of the main working copy. Without any, there is no team.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::HookContext;
    /// use hooks_core::testing::FakeDisk;
    /// use hooks_team::TeamPlace;
    ///
    /// let disk = FakeDisk::default()
    ///     .with_file("/topic/.git", "gitdir: /repo/.git/worktrees/topic")
    ///     .with_directory("/repo/.squad");
    /// let place = TeamPlace::below(Arc::new(disk), ".squad");
    /// let team = place.team(&HookContext::new("session-1", "backend").in_dir("/topic")).expect("that of the repository");
    /// assert_eq!(team.root().to_str(), Some("/repo/.squad"));
    /// ```
    pub fn below(disk: Arc<dyn Disk>, name: impl Into<PathBuf>) -> Self {
        Self::new(Where::Below(disk, name.into()))
    }

    fn new(folder: Where) -> Self {
        Self { folder, tenants: Arc::default(), patience: None }
    }

    /// Restricts the folder to the sessions of these tenants; without tenants, all sessions use it.
    #[must_use]
    pub fn of_tenants(mut self, tenants: impl IntoIterator<Item = String>) -> Self {
        self.tenants = tenants.into_iter().collect();
        self
    }

    /// Sets the time that a change waits for the lock, as in [`Team::with_patience`].
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// Returns the team of a session, if there is one. This may block on the disk.
    pub fn team(&self, context: &HookContext) -> Option<Team> {
        if !self.is_for(context) {
            return None;
        }
        let team = self.found(context)?;
        Some(match self.patience {
            Some(patience) => team.with_patience(patience),
            None => team,
        })
    }

    /// Returns the team of a session like [`team`](Self::team), for rules that must not be lost: a folder that cannot be read
    /// is an error.
    ///
    /// # Errors
    /// Returns `Refused` if another entry has the name of the folder, such as a link; `Io` if the disk cannot answer.
    pub fn checked(&self, context: &HookContext) -> Result<Option<Team>, TeamError> {
        let team = self.team(context);
        if team.is_some() || !self.is_for(context) {
            return Ok(team);
        }
        let Where::Below(disk, name) = &self.folder else { return Ok(None) };
        let place = name.display().to_string();
        let io = |source| TeamError::Io { place: place.clone(), source };
        let mut entry = disk.entry(&context.root().join(name)).map_err(io)?;
        if entry.is_none()
            && let Some(main) = worktree::main_root(&**disk, context.root()).map_err(io)?
        {
            entry = disk.entry(&main.join(name)).map_err(io)?;
        }
        match entry {
            None => Ok(None),
            // It was made a moment ago.
            Some(entry) if entry.kind == EntryKind::Directory => Ok(self.team(context)),
            Some(entry) => {
                let is_link = entry.kind == EntryKind::Symlink;
                let what = if is_link { "a link, which is not followed" } else { "no folder" };
                Err(TeamError::Refused { place, what, expected: "folder" })
            }
        }
    }

    /// Returns whether the sessions of the tenant of `context` use the folder.
    fn is_for(&self, context: &HookContext) -> bool {
        self.tenants.is_empty() || context.tenant.as_ref().is_some_and(|tenant| self.tenants.contains(tenant))
    }

    fn found(&self, context: &HookContext) -> Option<Team> {
        match &self.folder {
            Where::Fixed(team) => Some(team.clone()),
            Where::Below(disk, name) => {
                let mut root = context.root().join(name);
                let mut entry = disk.entry(&root).ok()?;
                if entry.is_none() {
                    root = worktree::main_root(&**disk, context.root()).ok()??.join(name);
                    entry = disk.entry(&root).ok()?;
                }
                (entry?.kind == EntryKind::Directory)
                    .then(|| Team::new(Arc::clone(disk), root, &context.environment))
            }
        }
    }

    /// Returns the disk that has the folder.
    pub fn disk(&self) -> &Arc<dyn Disk> {
        match &self.folder {
            Where::Fixed(team) => team.folder().disk(),
            Where::Below(disk, _) => disk,
        }
    }

    /// Returns the path of the folder relative to the project.
    pub fn name(&self) -> PathBuf {
        match &self.folder {
            Where::Fixed(team) => team.root().file_name().map(PathBuf::from).unwrap_or_default(),
            Where::Below(_, name) => name.clone(),
        }
    }
}

impl From<Team> for TeamPlace {
    fn from(team: Team) -> Self {
        Self::new(Where::Fixed(team))
    }
}

impl fmt::Debug for TeamPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.folder {
            Where::Fixed(team) => f.debug_tuple("TeamPlace").field(team).finish(),
            Where::Below(_, name) => f.debug_tuple("TeamPlace").field(name).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::Environment;
    use hooks_core::testing::FakeDisk;

    use super::*;

    #[test]
    fn sessions_of_other_tenants_have_no_team() {
        let team = Team::new(Arc::new(FakeDisk::default()), "/app/.squad", &Environment::detached());
        let of = |tenants: &[&str], tenant: Option<&str>| {
            let place =
                TeamPlace::from(team.clone()).of_tenants(tenants.iter().map(|name| (*name).to_owned()));
            let mut context = HookContext::new("s", "a");
            context.tenant = tenant.map(str::to_owned);
            place.team(&context).is_some()
        };
        assert!(of(&[], None) && of(&[], Some("acme")) && of(&["acme"], Some("acme")));
        assert!(!of(&["acme"], None) && !of(&["acme"], Some("initech")));
    }
}
