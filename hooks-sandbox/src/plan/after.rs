//! Removes files of a command that no mount could prevent: new files that govern agents or git, and replaced links. Where there are no
//! mounts at all, files that may not be written are restored too.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::folder_handle::FolderHandle;
use super::paths::text;
use super::repair::{self, given_back, open_for_owner, removed};
use super::walk::{WalkedPaths, walk};
use super::{NoPlan, Plan, outermost};
use crate::profile::{Access, Profile};

/// Most entries that are looked at after a command, which may have made many.
const MOST: usize = 4_000_000;

/// Most folders that are opened again, because the command has closed them.
const MOST_CLOSED: usize = 10_000;

/// Most links on the way to a file that are followed, as by the kernel.
const MOST_LINKS: usize = 40;

/// Largest file that is compared with its copy.
const MOST_COPIED: u64 = 1 << 20;

/// Result of [`Plan::clean_up`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Aftermath {
    /// Files and folders that were removed: they govern agents or git, and the command had created them.
    pub removed: Vec<PathBuf>,
    /// Links that were restored, because the command had replaced them, folders above such files whose rights were, and files that no
    /// mount held.
    pub restored: Vec<PathBuf>,
    /// Reasons for which such a file may still be there, or may be changed.
    pub missed: Vec<String>,
    /// Number of other protected files that were not copied, where no mount held them. Changes to them stay.
    pub uncopied: usize,
}

impl Plan {
    /// Removes files that nothing opens and that the command has created, and restores links that it has replaced: nothing could
    /// be mounted over them before. Everything that the command has started must have ended.
    ///
    /// ```
    /// use std::fs;
    /// use hooks_sandbox::{Pattern, Places, Plan, Profile, Rules, SandboxConfig};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let workspace = folder.path().canonicalize()?;
    /// let places = Places { workspace: workspace.clone(), ..Places::default() };
    /// let rules = Rules { own: vec!["hooks.yaml".to_owned()], ..Rules::default() };
    /// let profile = Profile::new(&places, rules, &SandboxConfig::default());
    /// let plan = Plan::new(&profile, &workspace)?;
    /// fs::write(workspace.join("hooks.yaml"), "version: 1")?; // by the command
    /// assert_eq!(plan.clean_up(&profile)?.removed, [workspace.join("hooks.yaml")]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a pattern of the profile cannot be used, or if the plan was read from JSON: it does not know which files
    /// are new.
    pub fn clean_up(&self, profile: &Profile) -> Result<Aftermath, NoPlan> {
        if self.searched.is_empty() {
            return Err(NoPlan(
                "a plan that was read from JSON does not know which files are new".to_owned(),
            ));
        }
        let profile =
            Profile { workspace: self.workspace.clone(), home: self.home.clone(), ..profile.clone() };
        let access =
            Access::again(&profile, self.patterns.0.as_ref()).map_err(|error| NoPlan(error.to_string()))?;
        let mut after = Aftermath::default();
        // First of all, as nothing is found in a folder that is closed.
        for (folder, rights) in &self.rights {
            match given_back(folder, rights) {
                Ok(true) => after.restored.push(folder.clone()),
                Ok(false) => {}
                Err(error) => {
                    after.missed.push(format!("`{}` cannot be restored: {error}", folder.display()));
                }
            }
        }
        // Then links, as new files are looked for behind them.
        for (link, target) in &self.links {
            match self.restored(link, target) {
                Ok(true) => after.restored.push(link.clone()),
                Ok(false) => {}
                Err(error) => after.missed.push(format!("`{}` cannot be restored: {error}", link.display())),
            }
        }
        if let Some(kept) = self.kept.get() {
            let (restored, missed) = kept.restore(&self.writable);
            after.restored.extend(restored);
            after.missed.extend(missed);
            after.uncopied = kept.left;
        }
        let mut opened = Vec::new();
        for path in self.created(&profile, &access, &mut after.missed, &mut opened) {
            match removed(&path) {
                Ok(()) => after.removed.push(path),
                // Another command has removed it.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => after.missed.push(format!("`{}` cannot be removed: {error}", path.display())),
            }
        }
        // The innermost first. One that went with what was removed needs no rights.
        for (folder, rights) in opened.iter().rev() {
            drop(given_back(folder, rights));
        }
        Ok(after)
    }

    /// Files that nothing opens and that are new.
    fn created(
        &self,
        profile: &Profile,
        access: &Access<'_>,
        missed: &mut Vec<String>,
        opened: &mut Vec<(PathBuf, fs::Permissions)>,
    ) -> Vec<PathBuf> {
        let mut links = Vec::new();
        let mut walked = BTreeSet::new();
        for root in &self.searched {
            let found = self.walk_again(root, access, missed, opened);
            walked.extend(found.fixed);
            links.extend(found.other_links);
        }
        let named = self.named_again(profile, access, links);
        let git = |path: &Path| path.ancestors().find(|above| above.ends_with(".git")).map(Path::to_path_buf);
        // A repository that the command has made has settings of its own.
        let is_old = |path: &Path| git(path).is_none_or(|git| self.before.contains(&git));
        let is_new = |path: &PathBuf| {
            !self.before.contains(path) && is_old(path) && !is_usual(path) && !self.is_copy(path)
        };
        let named = named.into_iter().filter(is_new).filter_map(|path| self.without_links(path));
        let mut created: Vec<PathBuf> = walked.into_iter().filter(is_new).chain(named).collect();
        outermost(&mut created);
        created
    }

    /// The link on the way to a file that the command has made, so that what it leads to stays. Without one, the file by a path that
    /// has no link; `None` if the command may not write there.
    fn without_links(&self, mut path: PathBuf) -> Option<PathBuf> {
        for _ in 0..MOST_LINKS {
            let Some(link) = path.ancestors().skip(1).filter(|above| above.is_symlink()).last() else {
                return self.can_write(&path).then_some(path).filter(|path| !self.before.contains(path));
            };
            let is_searched = self.searched.iter().any(|root| link.starts_with(root));
            if is_searched && !self.links_before.contains(link) {
                return Some(link.to_path_buf());
            }
            path = link.canonicalize().ok()?.join(path.strip_prefix(link).ok()?);
        }
        None
    }

    /// Whether the command could write to a path that has no link.
    fn can_write(&self, path: &Path) -> bool {
        let mut closed = self.read_only.iter().chain(&self.masked);
        self.writable.iter().any(|open| path.starts_with(open)) && !closed.any(|one| path.starts_with(one))
    }

    /// Notes the rights on the folders above files that nothing opens.
    pub(super) fn keep_rights(&mut self) {
        let is_searched = |folder: &&Path| self.searched.iter().any(|root| folder.starts_with(root));
        let folders: BTreeSet<&Path> =
            self.before.iter().flat_map(|path| path.ancestors().skip(1).take_while(is_searched)).collect();
        let rights = |folder: &Path| {
            let real = folder.canonicalize().ok()?;
            let rights = FolderHandle::open(&real).ok()?.rights().ok()?;
            Some((real, rights))
        };
        self.rights = folders.into_iter().filter_map(rights).collect();
    }

    /// Restores a link, and the folders above it; returns whether it had to be.
    fn restored(&self, link: &Path, target: &Path) -> io::Result<bool> {
        let Some(root) = self.searched.iter().find(|root| link.starts_with(root)) else { return Ok(false) };
        let above: Vec<&Path> = link.ancestors().skip(1).take_while(|folder| folder != root).collect();
        for folder in above.into_iter().rev() {
            repair::restore_folder(folder)?;
        }
        repair::restore_link(link, target)
    }

    /// Whether a file is that of the workspace in a clone or a working tree that the command has made: it governs as that does.
    fn is_copy(&self, path: &Path) -> bool {
        let is_new_tree = |folder: &&Path| {
            let repository = folder.join(".git");
            repository.symlink_metadata().is_ok() && !self.before.contains(&repository)
        };
        let Some(tree) = path.ancestors().skip(1).find(is_new_tree) else { return false };
        // Settings of the workspace itself are in folders with such names, as `.hooks/hooks.yaml`.
        let inside = tree.strip_prefix(&self.workspace).unwrap_or(tree);
        if inside.iter().any(|part| part.as_encoded_bytes().starts_with(b".")) {
            return false;
        }
        let Ok(below) = path.strip_prefix(tree) else { return false };
        let original = self.workspace.join(below);
        self.before.contains(&original)
            && matches!((small_file(path), small_file(&original)), (Some(copy), Some(original)) if copy == original)
    }

    /// Walks through a folder, also where the command has taken the right to do so away. Such folders stay open, and are noted.
    fn walk_again(
        &self,
        root: &Path,
        access: &Access<'_>,
        missed: &mut Vec<String>,
        opened: &mut Vec<(PathBuf, fs::Permissions)>,
    ) -> WalkedPaths {
        let mut all = walk(root, access, MOST);
        let mut open = std::mem::take(&mut all.unsearched);
        while let Some(folder) = open.pop() {
            // One that could not be searched before is masked, so nothing in it is new.
            if self.masked.contains(&folder) {
                continue;
            }
            let rights = if opened.len() < MOST_CLOSED { open_for_owner(&folder).ok() } else { None };
            let more = rights.map(|rights| {
                opened.push((folder.clone(), rights));
                walk(&folder, access, MOST)
            });
            let Some(more) = more.filter(|more| !more.unsearched.contains(&folder)) else {
                missed.push(format!("`{}` cannot be searched", folder.display()));
                continue;
            };
            all.fixed.extend(more.fixed);
            all.other_links.extend(more.other_links);
            all.is_cut |= more.is_cut;
            open.extend(more.unsearched);
        }
        if all.is_cut {
            missed.push(format!("`{}` has too many files to look at", root.display()));
        }
        all
    }

    /// Files that nothing opens and that have a name of the profile, where the command may write.
    fn named_again(&self, profile: &Profile, access: &Access<'_>, links: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut scratch = self.clone();
        let homes = profile.home.iter().cloned().collect();
        let named = scratch.fixed_by_name(profile, homes, links, access);
        named.into_iter().filter(|path| access.fixed(&text(path)).is_some()).collect()
    }
}

/// A folder of a working tree of git names its repository in the same words always.
fn is_usual(path: &Path) -> bool {
    let is_tree = path.ancestors().nth(2).is_some_and(|folder| folder.ends_with(".git/worktrees"));
    is_tree
        && path.ends_with("commondir")
        && small_file(path).is_some_and(|text| text.trim_ascii() == b"../..")
}

/// The content of a file that is not large. A pipe that a command has made would never end.
fn small_file(path: &Path) -> Option<Vec<u8>> {
    let is_small = path.symlink_metadata().is_ok_and(|of| of.is_file() && of.len() < MOST_COPIED);
    if is_small { fs::read(path).ok() } else { None }
}
