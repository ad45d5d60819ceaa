//! Removes files of a command that no mount could prevent: new files that govern agents or git, and replaced links.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::paths::text;
use super::reach::{self, Reached};
use super::walk::{WalkedPaths, walk};
use super::{NoPlan, Plan, outermost};
use crate::profile::{Access, Profile};

/// Most entries that are looked at after a command, which may have made many.
const MOST: usize = 4_000_000;

/// Most folders that are opened again, because the command has closed them.
const MOST_CLOSED: usize = 10_000;

/// Largest file that is compared with its copy.
const MOST_COPIED: u64 = 1 << 20;

/// Result of [`Plan::clean_up`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aftermath {
    /// Files and folders that were removed: they govern agents or git, and the command had created them.
    pub removed: Vec<PathBuf>,
    /// Links that were restored, because the command had replaced them, and folders above such files whose rights were.
    pub restored: Vec<PathBuf>,
    /// Reasons for which such a file may still be there.
    pub missed: Vec<String>,
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
    /// Returns an error if a pattern of the profile cannot be used.
    pub fn clean_up(&self, profile: &Profile) -> Result<Aftermath, NoPlan> {
        let profile =
            Profile { workspace: self.workspace.clone(), home: self.home.clone(), ..profile.clone() };
        let access = Access::new(&profile).map_err(|error| NoPlan(error.to_string()))?;
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
        let mut opened = Vec::new();
        for path in self.created(&profile, &access, &mut after.missed, &mut opened) {
            match removed(&path) {
                Ok(()) => after.removed.push(path),
                // It went with the folder that it is in.
                Err(error) if is_gone(&error) => {}
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
        let mut found = BTreeSet::new();
        for root in &self.searched {
            let walked = self.walk_again(root, access, missed, opened);
            found.extend(walked.fixed);
            links.extend(walked.other_links);
        }
        let git = |path: &Path| path.ancestors().find(|above| above.ends_with(".git")).map(Path::to_path_buf);
        // A repository that the command has made has settings of its own.
        let is_old = |path: &Path| git(path).is_none_or(|git| self.before.contains(&git));
        let is_new = |path: &PathBuf| {
            !self.before.contains(path) && is_old(path) && !is_usual(path) && !self.is_copy(path)
        };
        let behind = self.named_again(profile, access, links).into_iter().filter(is_new);
        let mut created: Vec<PathBuf> = behind.filter_map(|path| self.cause(&path)).collect();
        created.extend(found.into_iter().filter(is_new));
        outermost(&mut created);
        created
    }

    /// Notes the rights on the folders above files that nothing opens.
    pub(super) fn keep_rights(&mut self) {
        let is_searched = |folder: &&Path| self.searched.iter().any(|root| folder.starts_with(root));
        let folders: BTreeSet<&Path> =
            self.before.iter().flat_map(|path| path.ancestors().skip(1).take_while(is_searched)).collect();
        let rights = |folder: &Path| {
            let real = folder.canonicalize().ok()?;
            let rights = reach::rights(&real).ok()?;
            Some((real, rights))
        };
        self.rights = folders.into_iter().filter_map(rights).collect();
    }

    /// The new name by which there is a new file: that of a link on the way to it, or its own. `None` if it is there by a link that
    /// was there before, and it may not be written itself.
    fn cause(&self, path: &Path) -> Option<PathBuf> {
        let real = |path: &Path| Some(path.parent()?.canonicalize().ok()?.join(path.file_name()?));
        let can_write = |path: &Path| self.writable.iter().any(|open| path.starts_with(open) && path != open);
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        let is_link = |path: &&&Path| path.symlink_metadata().is_ok_and(|of| of.is_symlink());
        let links = above.iter().filter(is_link).filter_map(|link| real(link));
        let mut new = links.filter(|link| can_write(link) && !self.links.contains_key(link));
        new.next().or_else(|| {
            let is_closed =
                |path: &Path| self.read_only.iter().chain(&self.masked).any(|one| path.starts_with(one));
            real(path).filter(|path| can_write(path) && !self.before.contains(path) && !is_closed(path))
        })
    }

    /// Restores a link, and the folders above it; returns whether it had to be.
    fn restored(&self, link: &Path, target: &Path) -> io::Result<bool> {
        let Some(root) = self.searched.iter().find(|root| link.starts_with(root)) else { return Ok(false) };
        let above: Vec<&Path> = link.ancestors().skip(1).take_while(|folder| folder != root).collect();
        for folder in above.into_iter().rev() {
            let at = Reached::new(folder)?;
            match at.path().symlink_metadata() {
                Ok(of) if of.is_dir() => continue,
                Ok(_) => removed(folder)?,
                Err(error) if !is_gone(&error) => return Err(error),
                Err(_) => {}
            }
            fs::create_dir(at.path())?;
        }
        let at = Reached::new(link)?;
        if fs::read_link(at.path()).is_ok_and(|now| now == target) {
            return Ok(false);
        }
        match removed(link) {
            Err(error) if !is_gone(&error) => return Err(error),
            _ => {}
        }
        symlink(target, at.path())?;
        Ok(true)
    }

    /// Whether a file is that of the workspace in a clone or a working tree that the command has made: it governs as that does.
    fn is_copy(&self, path: &Path) -> bool {
        let is_new_tree = |folder: &&Path| {
            let repository = folder.join(".git");
            repository.symlink_metadata().is_ok() && !self.before.contains(&repository)
        };
        let Some(tree) = path.ancestors().skip(1).find(is_new_tree) else { return false };
        let Ok(below) = path.strip_prefix(tree) else { return false };
        let original = self.workspace.join(below);
        let is_file =
            |path: &Path| path.symlink_metadata().is_ok_and(|of| of.is_file() && of.len() < MOST_COPIED);
        self.before.contains(&original)
            && is_file(path)
            && is_file(&original)
            && matches!((fs::read(path), fs::read(&original)), (Ok(copy), Ok(original)) if copy == original)
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
}

/// A folder of a working tree of git names its repository in the same words always.
fn is_usual(path: &Path) -> bool {
    let is_tree = path.ancestors().nth(2).is_some_and(|folder| folder.ends_with(".git/worktrees"));
    is_tree
        && path.ends_with("commondir")
        && fs::read_to_string(path).is_ok_and(|text| text.trim() == "../..")
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Removes a file or folder, also one that the command has closed.
fn removed(path: &Path) -> io::Result<()> {
    let at = Reached::new(path)?;
    let remove = || match at.path().symlink_metadata()?.is_dir() {
        true => fs::remove_dir_all(at.path()),
        false => fs::remove_file(at.path()),
    };
    match remove() {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            let parent = path.parent().ok_or(error)?;
            let rights = open_for_owner(parent)?;
            if at.path().symlink_metadata()?.is_dir() {
                open_below(path);
            }
            let done = remove();
            given_back(parent, &rights)?;
            done
        }
        done => done,
    }
}

/// Gives a folder its rights back; returns whether they were others.
fn given_back(folder: &Path, rights: &fs::Permissions) -> io::Result<bool> {
    match reach::rights(folder) {
        Ok(now) if now != *rights => reach::set_rights(folder, rights.clone()).map(|()| true),
        Err(error) if !is_gone(&error) => Err(error),
        _ => Ok(false),
    }
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn symlink(_target: &Path, _link: &Path) -> io::Result<()> {
    Err(io::Error::from(ErrorKind::Unsupported))
}

/// Gives the owner all rights on a folder; returns those that it had.
fn open_for_owner(folder: &Path) -> io::Result<fs::Permissions> {
    let rights = reach::rights(folder)?;
    reach::set_rights(folder, for_owner(&rights))?;
    Ok(rights)
}

#[cfg(unix)]
fn for_owner(rights: &fs::Permissions) -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(rights.mode() | 0o700)
}

#[cfg(not(unix))]
fn for_owner(rights: &fs::Permissions) -> fs::Permissions {
    rights.clone()
}

/// Gives the owner all rights on a folder and on the folders in it, which is to be removed.
fn open_below(folder: &Path) {
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        // If it stays closed, the removal fails and is reported.
        drop(open_for_owner(&folder));
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        open.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|one| one.path()),
        );
    }
}

impl Plan {
    /// Files that nothing opens and that have a name of the profile, where the command may write.
    fn named_again(&self, profile: &Profile, access: &Access<'_>, links: Vec<PathBuf>) -> Vec<PathBuf> {
        let mut scratch = self.clone();
        let homes = profile.home.iter().cloned().collect();
        let named = scratch.fixed_by_name(profile, homes, links, access);
        let can_write = |path: &PathBuf| {
            let real = path.parent().and_then(|parent| parent.canonicalize().ok());
            real.is_some_and(|real| self.writable.iter().any(|open| real.starts_with(open)))
        };
        named.into_iter().filter(|path| can_write(path) && access.fixed(&text(path)).is_some()).collect()
    }
}
