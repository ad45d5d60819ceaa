//! The folder that is kept, and what is left out of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::SnapshotError;

/// Most files and folders of a snapshot.
const MOST: usize = 400_000;

/// A name of folders that a snapshot leaves out, because tools fill them by themselves.
///
/// ```
/// use hooks_snapshots::LeftOut;
///
/// let left_out = LeftOut::new("node_modules", "packages of npm");
/// assert_eq!(left_out.name, "node_modules");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The last parts of the path, such as `target` or `bin/Debug`.
    pub name: String,
    /// Description of its contents.
    pub why: String,
}

impl LeftOut {
    /// A name with its reason.
    pub fn new(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), why: why.into() }
    }
}

/// The folder that snapshots keep, and their limits.
///
/// ```
/// use hooks_snapshots::{LeftOut, Scope};
///
/// let root = std::env::current_dir()?;
/// let scope = Scope::new(&root, vec![LeftOut::new("target", "build output")])?;
/// assert!(Scope::new("/".as_ref(), Vec::new()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scope {
    pub(crate) root: PathBuf,
    pub(crate) left_out: Vec<LeftOut>,
    pub(crate) most: usize,
    pub(crate) quota: u64,
    pub(crate) days: u32,
    pub(crate) patience: Option<Duration>,
}

impl Scope {
    /// The workspace in `root`. Folders with a name in `left_out` are not kept, unless git tracks files in them.
    ///
    /// # Errors
    /// Returns an error if `root` cannot be read, or is the root of the disk.
    pub fn new(root: &Path, left_out: Vec<LeftOut>) -> Result<Self, SnapshotError> {
        let root = root.canonicalize().map_err(SnapshotError::io(root))?;
        if root.parent().is_none() {
            return Err(SnapshotError::NotAWorkspace(root));
        }
        let config = crate::EffectsConfig::default();
        Ok(Self { root, left_out, most: MOST, quota: 0, days: 0, patience: None }.bounded(&config))
    }

    /// Refuses a workspace that contains the home of the user.
    ///
    /// # Errors
    /// Returns an error if the workspace is `home`, or a folder above it.
    pub fn outside_of_home(self, home: &Path) -> Result<Self, SnapshotError> {
        let home = home.canonicalize().unwrap_or_else(|_| home.to_path_buf());
        if home.starts_with(&self.root) { Err(SnapshotError::NotAWorkspace(self.root)) } else { Ok(self) }
    }

    /// Takes the limits of a configuration.
    #[must_use]
    pub fn bounded(mut self, config: &crate::EffectsConfig) -> Self {
        self.quota = config.quota_mb.saturating_mul(1 << 20);
        self.days = config.days;
        self
    }

    /// Limits the time that each step waits for other processes, such as a large snapshot. Without it, there is no limit.
    #[must_use]
    pub const fn waiting_at_most(mut self, patience: Duration) -> Self {
        self.patience = Some(patience);
        self
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Most bytes of one file.
    pub(crate) const fn largest(&self) -> u64 {
        self.quota / 4
    }

    /// Whether a folder is left out by its name.
    pub(crate) fn leaves_out(&self, path: &Path) -> bool {
        self.left_out.iter().any(|one| path.ends_with(&one.name))
    }
}
