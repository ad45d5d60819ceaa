//! Differences between two trees.

use std::path::{Path, PathBuf};

use crate::tree::{Entry, Name, Tree, as_path, parent};

/// A path that a command changed.
///
/// ```
/// use hooks_snapshots::{Change, ChangeKind};
///
/// fn removed(changes: &[Change]) -> usize {
///     changes.iter().filter(|change| change.kind == ChangeKind::Removed && !change.is_in_git()).count()
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The path, relative to the workspace.
    pub path: PathBuf,
    /// The kind of change.
    pub kind: ChangeKind,
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// The path was created.
    Created,
    /// The path was removed.
    Removed,
    /// The path has another content, kind or mode.
    Changed,
}

/// The paths that differ between two trees, in order. What is in a folder that could not be listed is unknown, so it does not differ.
pub(crate) fn different<'t>(before: &'t Tree, after: &'t Tree) -> Vec<&'t Name> {
    let is_same = |name: &Name, entry: &Entry| match after.entries.get(name) {
        Some(other) => entry.is_same(other),
        None => after.unlisted_above(name),
    };
    let gone_or_changed = before.entries.iter().filter(|(name, entry)| !is_same(name, entry));
    let is_new = |name: &Name| !before.entries.contains_key(name) && !before.unlisted_above(name);
    let created = after.entries.keys().filter(|name| is_new(name));
    let mut all: Vec<&Name> = gone_or_changed.map(|(name, _)| name).chain(created).collect();
    all.sort_unstable();
    all
}

impl Change {
    pub(crate) fn new(name: &Name, before: &Tree, after: &Tree) -> Self {
        let kind = match (before.entries.contains_key(name), after.entries.contains_key(name)) {
            (false, _) => ChangeKind::Created,
            (true, false) => ChangeKind::Removed,
            (true, true) => ChangeKind::Changed,
        };
        Self { path: as_path(name).to_path_buf(), kind }
    }

    /// Whether the path is in the own folder of a repository.
    pub fn is_in_git(&self) -> bool {
        is_in_git(&self.path)
    }
}

pub(crate) fn is_in_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// Whether a path is in the own folder of a repository, and no whole file of Git LFS or git-annex: those have no other copy.
pub(crate) fn is_of_git(name: &[u8]) -> bool {
    let mut parts = name.split(|byte| *byte == b'/');
    let mut has = |names: &[&[u8]]| parts.by_ref().any(|part| names.contains(&part));
    has(&[b".git"]) && !(has(&[b"lfs", b"annex"]) && has(&[b"objects"]))
}

/// Whether a path is about the objects of a repository that existed before. An undo leaves new ones: nothing refers to them. It is not
/// one in the place of a file or a link, which has to come back.
pub(crate) fn is_new_object(name: &[u8], before: &Tree) -> bool {
    let mut end = 0;
    let mut is_git = false;
    for part in name.split(|byte| *byte == b'/') {
        end += part.len();
        if is_git && part == b"objects" {
            let objects = name.get(..end).and_then(|folder| before.entries.get(folder));
            let mut above = std::iter::successors(Some(name), |name| parent(name));
            let is_in_place =
                above.any(|name| before.entries.get(name).is_some_and(|entry| !entry.is_folder()));
            return objects.is_some_and(Entry::is_folder)
                && !before.entries.contains_key(name)
                && !is_in_place;
        }
        is_git = is_git || part == b".git";
        end += 1;
    }
    false
}
