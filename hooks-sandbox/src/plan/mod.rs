//! A plan: the part of a profile that a mechanism can hold on one disk, at one moment.
//!
//! A mount or a rule of the kernel is about a file that exists. So the patterns of a profile are looked up: in the workspace
//! by a walk that leaves out what tools fill by themselves, elsewhere by name. What cannot be expressed so is listed.

mod after;
mod base;
mod caches;
mod folder_handle;
pub(crate) mod glob;
mod homes;
mod identity;
mod kept;
mod look_up;
mod open;
mod packages;
mod paths;
mod repair;
#[cfg(target_os = "linux")]
mod sockets;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hooks_facts::hosts::HostList;
use serde::{Deserialize, Serialize};

use self::identity::Seen;
use self::kept::Kept;
use crate::config::{EgressConfig, Unavailable};
use crate::profile::{Access, Gap, Patterns, Profile, as_pattern};

pub use self::after::Aftermath;
pub use self::caches::make_caches;
#[cfg(all(feature = "kernel", target_os = "linux"))]
pub(crate) use self::identity::Identity;

/// Most files and folders that are masked or made read-only one by one.
const MOST_CLOSED: usize = 4_096;

/// Most entries that are looked at in one folder before a command.
const MOST: usize = 400_000;

/// Orders for a mechanism: paths that exist, without links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The root of the project.
    #[serde(with = "paths::one")]
    pub workspace: PathBuf,
    /// The user's home.
    #[serde(with = "paths::option")]
    pub home: Option<PathBuf>,
    /// The folder that the command starts in.
    #[serde(with = "paths::one")]
    pub folder: PathBuf,
    /// Files and folders that may be written. Everything else may not.
    #[serde(with = "paths::list")]
    pub writable: Vec<PathBuf>,
    /// Files and folders in them that may not be written.
    #[serde(with = "paths::list")]
    pub read_only: Vec<PathBuf>,
    /// Files and folders that may be neither read nor written.
    #[serde(with = "paths::list")]
    pub masked: Vec<PathBuf>,
    /// Sockets of processes outside, which are hidden while they are there.
    #[serde(with = "paths::list")]
    pub sockets: Vec<PathBuf>,
    /// Variables that are unset.
    pub unset: Vec<String>,
    /// Whether the command may connect to the network as it likes.
    pub is_connected: bool,
    /// Hosts that it may connect to through the proxy; see [`HostList`].
    pub hosts: Vec<String>,
    /// Whether these hosts were found on this machine, and not listed by the rules: then they are open only where nothing else is.
    #[serde(default)]
    pub(crate) has_found_hosts: bool,
    /// Treatment of the command if this cannot be held.
    pub unavailable: Unavailable,
    /// A folder of its own, which becomes `/tmp`.
    #[serde(with = "paths::option")]
    pub temporary: Option<PathBuf>,
    /// Patterns that no mechanism holds as they are written, with reasons.
    pub gaps: Vec<Gap>,
    /// The files of all these paths when they were looked up.
    pub(crate) seen: Vec<Seen>,
    /// Files that nothing opens and that existed before the command, and repositories.
    #[serde(skip)]
    before: BTreeSet<PathBuf>,
    /// Links in place of files that may not be written, and links on the way to such files, and their targets.
    #[serde(skip)]
    links: BTreeMap<PathBuf, PathBuf>,
    /// Rights on the folders above files that nothing opens: a command could close them.
    #[serde(skip)]
    rights: BTreeMap<PathBuf, Permissions>,
    /// Folders that were searched.
    #[serde(skip)]
    searched: Vec<PathBuf>,
    /// Links in these folders that are no files of the profile.
    #[serde(skip)]
    links_before: BTreeSet<PathBuf>,
    /// Copies of the files that may not be written, if no mount holds them. All clones of a plan share them.
    #[serde(skip)]
    kept: Arc<OnceLock<Kept>>,
    /// The patterns of the profile, for the search after the command.
    #[serde(skip)]
    patterns: Shared,
}

/// Compiled patterns. They follow from the profile, so plans with and without them are equal.
#[derive(Clone, Debug, Default)]
struct Shared(Option<Arc<Patterns>>);

impl PartialEq for Shared {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Shared {}

/// Error for a profile without a plan, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoPlan(String);

impl std::fmt::Display for NoPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoPlan {}

impl Plan {
    /// Looks up the patterns of a profile, for a command that starts in `folder`.
    ///
    /// ```
    /// use hooks_sandbox::{EgressConfig, Places, Plan, Profile, Rules, SandboxConfig};
    ///
    /// let workspace = std::env::current_dir()?.canonicalize()?;
    /// let places = Places { workspace: workspace.clone(), ..Places::default() };
    /// let mut profile = Profile::new(&places, Rules::default(), &SandboxConfig::default());
    /// let plan = Plan::new(&profile, &workspace)?;
    /// assert_eq!((plan.folder, plan.is_connected), (workspace.clone(), false));
    /// profile.egress = EgressConfig::Hosts(vec!["https://example.org".to_owned()]);
    /// assert!(Plan::new(&profile, &workspace).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a pattern cannot be used, the workspace cannot be read or is too large, or the profile has a host
    /// that cannot be read.
    pub fn new(profile: &Profile, folder: &Path) -> Result<Self, NoPlan> {
        let (is_connected, hosts) = match &profile.egress {
            EgressConfig::None | EgressConfig::Packages => (false, Vec::new()),
            EgressConfig::All => (true, Vec::new()),
            EgressConfig::Hosts(hosts) => (false, hosts.clone()),
        };
        HostList::new(&hosts).map_err(|error| NoPlan(error.to_string()))?;
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| NoPlan(format!("`{}` cannot be read: {error}", path.display())))
        };
        // Patterns are relative to the workspace without links.
        let home = profile.home.as_deref().and_then(|home| home.canonicalize().ok());
        let profile = &Profile { workspace: real(&profile.workspace)?, home, ..profile.clone() };
        if as_pattern(&profile.workspace).is_none() {
            return Err(NoPlan(format!("`{}` is not UTF-8", profile.workspace.display())));
        }
        let others = homes::others(profile);
        let access = Access::new(profile).map_err(|error| NoPlan(error.to_string()))?;
        let access = access.with_homes(others.homes.iter().map(|home| paths::text(home).into_owned()));
        let mut plan = Self {
            workspace: profile.workspace.clone(),
            home: profile.home.clone(),
            folder: real(folder)?,
            unset: profile.unset.iter().map(|one| one.pattern.clone()).collect(),
            is_connected,
            hosts,
            unavailable: profile.unavailable,
            gaps: profile.unexpressed.clone(),
            patterns: Shared(Some(Arc::clone(access.patterns()))),
            ..Self::default()
        };
        if !others.are_all {
            plan.leave(Gap::limit("~", "there are too many homes").breaking_reads().breaking_writes());
        }
        if profile.egress == EgressConfig::Packages {
            plan.add_package_hosts(profile, &access);
        }
        plan.open(profile, &access);
        plan.search(&access)?;
        let homes = profile.home.iter().cloned().chain(others.homes).collect();
        plan.look_up(profile, homes, &access);
        plan.finish()?;
        plan.keep_rights();
        Ok(plan)
    }

    /// The folder in which the command finds its temporary files.
    ///
    /// ```
    /// use hooks_sandbox::{Places, Plan, Profile, Rules, SandboxConfig};
    ///
    /// let (workspace, temporary) = (tempfile::tempdir()?, tempfile::tempdir()?);
    /// let root = workspace.path().canonicalize()?;
    /// let profile = Profile::new(&Places { workspace: root.clone(), ..Places::default() }, Rules::default(), &SandboxConfig::default());
    /// let plan = Plan::new(&profile, &root)?.with_temporary(Some(temporary.path().canonicalize()?));
    /// assert_eq!(plan.temporary.as_deref(), Some(&*temporary.path().canonicalize()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_temporary(mut self, folder: Option<PathBuf>) -> Self {
        self.temporary = folder;
        self
    }

    /// Copies the files that may not be written, for a machine where no mount holds them. [`Plan::clean_up`] of this plan or of a clone
    /// restores them. At most 20,000 files and 64 MiB are copied, into memory; clean-up names those that were not.
    ///
    /// ```
    /// use std::fs;
    /// use hooks_sandbox::{Places, Plan, Profile, Rules, SandboxConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = folder.path().canonicalize()?;
    /// fs::write(workspace.join("hooks.yaml"), "version: 1")?;
    /// let rules = Rules { own: vec!["hooks.yaml".to_owned()], ..Rules::default() };
    /// let places = Places { workspace: workspace.clone(), ..Places::default() };
    /// let profile = Profile::new(&places, rules, &SandboxConfig::default());
    /// let plan = Plan::new(&profile, &workspace)?;
    /// plan.keep_copies();
    /// fs::write(workspace.join("hooks.yaml"), "version: 2")?; // by the command
    /// assert_eq!(plan.clean_up(&profile)?.restored, [workspace.join("hooks.yaml")]);
    /// assert_eq!(fs::read_to_string(workspace.join("hooks.yaml"))?, "version: 1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_copies(&self) {
        let is_open = |path: &&PathBuf| self.writable.iter().any(|open| path.starts_with(open));
        let closed: Vec<PathBuf> =
            self.read_only.iter().chain(self.masked.iter().filter(is_open)).cloned().collect();
        self.kept.get_or_init(|| Kept::new(&closed, &self.before));
    }

    /// Whether a file that may not be read can be read in spite of this plan.
    #[cfg(any(test, all(feature = "kernel", target_os = "linux")))]
    pub(crate) fn breaks_reads(&self) -> bool {
        self.gaps.iter().any(|gap| gap.breaks_reads)
    }

    /// Whether a file that may not be written can be written in spite of this plan.
    #[cfg(any(test, all(feature = "kernel", target_os = "linux")))]
    pub(crate) fn breaks_writes(&self) -> bool {
        self.gaps.iter().any(|gap| gap.breaks_writes)
    }

    fn add_package_hosts(&mut self, profile: &Profile, access: &Access<'_>) {
        let found = packages::find(profile, access, &|name| std::env::var(name).ok());
        self.hosts = found.hosts;
        self.has_found_hosts = true;
        found.left.into_iter().for_each(|gap| self.leave(gap));
    }

    fn leave(&mut self, gap: Gap) {
        if !self.gaps.contains(&gap) {
            self.gaps.push(gap);
        }
    }

    /// Puts the paths in order, and leaves out those that others contain.
    fn finish(&mut self) -> Result<(), NoPlan> {
        outermost(&mut self.writable);
        outermost(&mut self.masked);
        let (writable, masked) = (&self.writable, &self.masked);
        let is_needed = |path: &PathBuf| {
            writable.iter().any(|folder| path.starts_with(folder))
                && !masked.iter().any(|folder| path.starts_with(folder))
        };
        self.read_only.retain(is_needed);
        outermost(&mut self.read_only);
        let count = self.masked.len() + self.read_only.len();
        if count > MOST_CLOSED {
            return Err(NoPlan(format!("{count} files are closed one by one; at most {MOST_CLOSED} can be")));
        }
        self.seen = identity::seen(self.writable.iter().chain(&self.read_only).chain(&self.masked));
        Ok(())
    }
}

/// Sorts paths and removes those below another.
fn outermost(paths: &mut Vec<PathBuf>) {
    paths.sort();
    paths.dedup();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths.drain(..) {
        if kept.last().is_none_or(|last| !path.starts_with(last)) {
            kept.push(path);
        }
    }
    *paths = kept;
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
