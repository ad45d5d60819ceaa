//! A plan: the part of a profile that a mechanism can hold on one disk, at one moment.
//!
//! A mount or a rule of the kernel is about a file that exists. So the patterns of a profile are looked up: in the workspace
//! by a walk that leaves out what tools fill by themselves, elsewhere by name. What cannot be expressed so is listed.

mod glob;
mod walk;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::glob::{Named, alternatives, existing, is_wild, literal};
use crate::config::{EgressConfig, Unavailable};
use crate::profile::{Access, Pattern, Profile, as_pattern};

/// Most files and folders that are masked or made read-only one by one.
const MOST_CLOSED: usize = 4_096;

/// Most files in a folder of secrets that are looked at one by one, because some of them may be read.
const MOST_IN_FOLDER: usize = 2_000;

/// Orders for a mechanism: paths that exist, without links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The root of the project.
    pub workspace: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// The folder that the command starts in.
    pub folder: PathBuf,
    /// Files and folders that may be written. Everything else may not.
    pub writable: Vec<PathBuf>,
    /// Files and folders in them that may not be written.
    pub read_only: Vec<PathBuf>,
    /// Files and folders that may be neither read nor written.
    pub masked: Vec<PathBuf>,
    /// Variables that are unset.
    pub unset: Vec<String>,
    /// Whether the command may connect to the network.
    pub is_connected: bool,
    /// Treatment of the command if this cannot be held.
    pub unavailable: Unavailable,
    /// A folder of its own, which becomes `/tmp`.
    pub temporary: Option<PathBuf>,
    /// Patterns that no mechanism holds, with reasons.
    pub unexpressed: Vec<Pattern>,
    /// Files that nothing opens and that existed before the command.
    #[serde(skip)]
    before: BTreeSet<PathBuf>,
}

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
    /// profile.egress = EgressConfig::Hosts(vec!["example.org".to_owned()]);
    /// assert!(Plan::new(&profile, &workspace).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a pattern cannot be used, the workspace cannot be read or is too large, or the profile has a list of
    /// hosts.
    pub fn new(profile: &Profile, folder: &Path) -> Result<Self, NoPlan> {
        let is_connected = match profile.egress {
            EgressConfig::None => false,
            EgressConfig::All => true,
            EgressConfig::Hosts(_) => return Err(NoPlan("a list of hosts is not enforced yet".to_owned())),
        };
        let real = |path: &Path| {
            path.canonicalize()
                .map_err(|error| NoPlan(format!("`{}` cannot be read: {error}", path.display())))
        };
        // Patterns are relative to the workspace without links.
        let home = profile.home.as_deref().and_then(|home| home.canonicalize().ok());
        let profile = &Profile { workspace: real(&profile.workspace)?, home, ..profile.clone() };
        let homes = other_homes(profile);
        let access = Access::new(profile).map_err(|error| NoPlan(error.to_string()))?;
        let access = access.with_homes(homes.iter().filter_map(|home| home.to_str().map(str::to_owned)));
        let mut plan = Self {
            workspace: profile.workspace.clone(),
            home: profile.home.clone(),
            folder: real(folder)?,
            unset: profile.unset.iter().map(|one| one.pattern.clone()).collect(),
            is_connected,
            unavailable: profile.unavailable,
            unexpressed: profile.unexpressed.clone(),
            ..Self::default()
        };
        plan.open(profile, &access);
        let all: Vec<&Path> =
            profile.home.as_deref().into_iter().chain(homes.iter().map(PathBuf::as_path)).collect();
        plan.walk(&access)?;
        plan.look_up(profile, &all, &access);
        plan.finish()?;
        Ok(plan)
    }

    /// The folder in which the command finds its temporary files.
    #[must_use]
    pub fn with_temporary(mut self, folder: Option<PathBuf>) -> Self {
        self.temporary = folder;
        self
    }

    /// Files that nothing opens and that the command has created: nothing could be mounted over them before.
    ///
    /// # Errors
    /// Returns an error if the workspace cannot be read or is too large.
    pub fn created(&self, profile: &Profile) -> Result<Vec<PathBuf>, NoPlan> {
        let profile =
            &Profile { workspace: self.workspace.clone(), home: self.home.clone(), ..profile.clone() };
        let access = Access::new(profile).map_err(|error| NoPlan(error.to_string()))?;
        let mut after = walk::walk(&self.workspace, &access).ok_or_else(|| too_large(&self.workspace))?.fixed;
        // A repository that the command has made has settings of its own.
        let git = |path: &Path| path.ancestors().find(|above| above.ends_with(".git")).map(Path::to_path_buf);
        let is_old = |path: &Path| git(path).is_none_or(|git| self.before.contains(&git));
        after.retain(|path| !self.before.contains(path) && is_old(path));
        outermost(&mut after);
        Ok(after)
    }

    fn leave(&mut self, pattern: impl Into<String>, why: &str) {
        let one = Pattern::new(pattern, why);
        if !self.unexpressed.contains(&one) {
            self.unexpressed.push(one);
        }
    }

    /// Opens what may be written.
    fn open(&mut self, profile: &Profile, access: &Access<'_>) {
        let root = as_pattern(&profile.workspace).unwrap_or_default();
        let home = profile.home.as_deref().and_then(as_pattern);
        for one in profile.write.iter().chain(&profile.regenerable) {
            let is_product = one.pattern.starts_with("**/") && profile.regenerable.contains(one);
            let Some(all) = alternatives(&one.pattern).filter(|_| !is_product) else { continue };
            for glob in all {
                let absolute = match (glob.strip_prefix("~/"), &home) {
                    (Some(below), Some(home)) => format!("{home}/{below}"),
                    (Some(_), None) => continue,
                    (None, _) if glob.starts_with('/') => glob.clone(),
                    (None, _) => format!("{root}/{glob}"),
                };
                self.open_glob(&one.pattern, &absolute, access);
            }
        }
    }

    fn open_glob(&mut self, pattern: &str, glob: &str, access: &Access<'_>) {
        let (base, is_exact) = literal_beginning(glob);
        if !is_exact && !base.starts_with(&self.workspace) {
            return self.leave(pattern, "not opened: it has a wildcard outside of the workspace");
        }
        let Ok(real) = base.canonicalize() else {
            // A cache that is not there, or the other of the two patterns for a file or a folder.
            if !pattern.starts_with('/') && !pattern.ends_with("/**")
                || pattern.ends_with("/**") && base.starts_with(&self.workspace)
            {
                self.leave(pattern, "not opened: it does not exist yet");
            }
            return;
        };
        if real != base {
            // An agent may have made the link.
            let probe = real.join("x");
            let is_open = |path: &Path| path.to_str().is_some_and(|path| access.write(path).is_open());
            if !is_open(&probe) && !is_open(&real) {
                return self.leave(pattern, "not opened: it is behind a link that leads elsewhere");
            }
        }
        if !is_exact {
            self.leave(pattern, "wider: the whole folder before its first wildcard is open");
        }
        self.writable.push(real);
    }

    /// Finds in the workspace what is closed.
    fn walk(&mut self, access: &Access<'_>) -> Result<(), NoPlan> {
        let found = walk::walk(&self.workspace, access).ok_or_else(|| too_large(&self.workspace))?;
        for folder in found.hidden {
            self.mask(&folder, access);
        }
        self.before = found.fixed.into_iter().chain(found.products.iter().cloned()).collect();
        self.read_only.extend(found.closed);
        // They may be written also where the workspace may not.
        self.writable.extend(found.products);
        for link in found.links {
            let text = link.display().to_string();
            self.leave(text, "a link: its target is closed, and it can be replaced by another file");
            if let Ok(real) = link.canonicalize() {
                match link.to_str().is_some_and(|link| access.read(link).is_open()) {
                    true => self.read_only.push(real),
                    false => self.masked.push(real),
                }
            }
        }
        let what = crate::profile::products().collect::<Vec<_>>().join(", ");
        self.leave(what, "secrets in these folders of the workspace are not looked for");
        Ok(())
    }

    /// Looks up by name what is closed elsewhere.
    fn look_up(&mut self, profile: &Profile, homes: &[&Path], access: &Access<'_>) {
        for one in &profile.hidden {
            self.each_named(one, homes, |plan, named| {
                if named.is_tree || named.path.is_dir() {
                    plan.mask(&named.path, access);
                } else if named.path.to_str().is_some_and(|path| !access.read(path).is_open()) {
                    plan.masked.extend(named.path.canonicalize());
                }
            });
        }
        for one in profile.fixed.iter().chain(&profile.guarded) {
            self.each_named(one, homes, |plan, named| {
                let is_closed = named.path.to_str().is_some_and(|path| {
                    let below = format!("{path}/x");
                    !access.write(path).is_open() || named.is_tree && !access.write(&below).is_open()
                });
                if is_closed {
                    plan.read_only.extend(named.path.canonicalize());
                }
            });
        }
        for one in &profile.sockets {
            self.each_named(one, homes, |plan, named| plan.masked.extend(named.path.canonicalize()));
        }
    }

    fn each_named(&mut self, one: &Pattern, homes: &[&Path], mut each: impl FnMut(&mut Self, &Named)) {
        let Some(all) = alternatives(&one.pattern) else {
            return self.leave(&one.pattern, "it has too many alternatives");
        };
        for glob in all {
            let below = glob.strip_prefix("~/").or_else(|| glob.strip_prefix("**/"));
            let globs: Vec<String> = match below {
                Some(below) => homes
                    .iter()
                    .filter_map(|home| as_pattern(home))
                    .map(|home| format!("{home}/{below}"))
                    .collect(),
                // Pseudo files of other processes: they are not seen in a namespace of processes.
                None if glob.starts_with("/proc/") => continue,
                None if glob.starts_with('/') => vec![glob.clone()],
                // The walk has found those.
                None => continue,
            };
            if glob.starts_with("**/") {
                self.leave(&one.pattern, "looked for in the workspace and at the top of homes only");
            }
            for glob in globs {
                match existing(&glob) {
                    Some(found) => found.iter().for_each(|named| each(self, named)),
                    None => {
                        self.leave(&one.pattern, "it has a wildcard for folders outside of the workspace");
                    }
                }
            }
        }
    }

    /// Masks a folder as a whole, unless something in it may be read.
    fn mask(&mut self, path: &Path, access: &Access<'_>) {
        let Ok(real) = path.canonicalize() else { return };
        let mut shown = false;
        let mut closed = Vec::new();
        let mut open = vec![path.to_path_buf()];
        let mut count = 0;
        while let Some(folder) = open.pop().filter(|_| path.is_dir() && count < MOST_IN_FOLDER) {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                count += 1;
                let (path, kind) = (entry.path(), entry.file_type());
                if kind.is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                } else if path.to_str().is_some_and(|path| access.read(path).is_open()) {
                    shown = true;
                } else {
                    closed.extend(path.canonicalize());
                }
            }
        }
        if shown && count < MOST_IN_FOLDER {
            self.leave(
                format!("{}/*", path.display()),
                "a file that is created there while a command runs can be read",
            );
            self.masked.extend(closed);
        } else {
            self.masked.push(real);
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
        Ok(())
    }
}

fn too_large(folder: &Path) -> NoPlan {
    NoPlan(format!("`{}` has too many files to look at", folder.display()))
}

/// The folder before the first wildcard, and whether it is exactly what the pattern means.
fn literal_beginning(glob: &str) -> (PathBuf, bool) {
    let parts: Vec<&str> = glob.split('/').filter(|part| !part.is_empty()).collect();
    let first = parts.iter().position(|part| is_wild(part)).unwrap_or(parts.len());
    let mut base = PathBuf::from("/");
    base.extend(parts.iter().take(first).map(|part| literal(part)));
    let rest = parts.get(first..).unwrap_or_default();
    (base, rest.is_empty() || rest == ["**"])
}

/// Homes of other users: what is closed below a home is closed below each.
fn other_homes(profile: &Profile) -> Vec<PathBuf> {
    let below =
        |folder: &str| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let all = below("/home").take(64).chain([PathBuf::from("/root")]);
    all.filter(|home| Some(home) != profile.home.as_ref() && home.is_dir()).collect()
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
mod tests;
