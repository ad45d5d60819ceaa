//! Copies of the files that may not be written, for a machine where no mount holds them: what a command did to them is undone when it has
//! ended.
//!
//! Landlock gives rights to folders with all that is in them, so it cannot close one file where others may be made.

use std::collections::BTreeMap;
use std::fs::{self, Metadata, Permissions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::folder_handle::{FolderHandle, split};
use super::repair::{given_back, removed, restore_folder, restore_link};

/// Most files and folders that are copied.
const MOST_ENTRIES: usize = 20_000;

/// Most bytes that are copied; they are in memory.
const MOST_BYTES: u64 = 64 << 20;

/// Name of a file until it is whole.
const UNFINISHED: &str = ".hooks-restored";

/// Copies of files and folders, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    entries: BTreeMap<PathBuf, Entry>,
    bytes: u64,
    /// Paths of which there is no copy, with reasons.
    pub(super) missed: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder(Permissions),
    File(Vec<u8>, Permissions),
    Link(PathBuf),
}

impl Kept {
    /// Copies files, and folders with all that is in them.
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        let mut kept = Self::default();
        let mut open: Vec<PathBuf> = paths.to_vec();
        while let Some(path) = open.pop() {
            match kept.add(&path) {
                Ok(inner) => open.extend(inner),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => kept.missed.push(format!("`{}` cannot be copied: {error}", path.display())),
            }
        }
        kept
    }

    /// Copies one entry; returns those in it.
    fn add(&mut self, path: &Path) -> io::Result<Vec<PathBuf>> {
        if self.entries.len() >= MOST_ENTRIES {
            return Err(io::Error::other("there are too many such files"));
        }
        let about = path.symlink_metadata()?;
        let mut inner = Vec::new();
        let entry = if about.is_symlink() {
            Entry::Link(path.read_link()?)
        } else if about.is_dir() {
            for entry in fs::read_dir(path)? {
                inner.push(entry?.path());
            }
            Entry::Folder(about.permissions())
        } else if about.is_file() {
            self.bytes = self.bytes.saturating_add(about.len());
            if self.bytes > MOST_BYTES {
                return Err(io::Error::other("such files are too large together"));
            }
            Entry::File(fs::read(path)?, about.permissions())
        } else {
            return Err(io::Error::other("it is no file, folder or link"));
        };
        self.entries.insert(path.to_path_buf(), entry);
        Ok(inner)
    }

    /// Restores what is not as it was; returns these paths, and the reasons for which one could not be.
    pub(super) fn restore(&self, writable: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
        let (mut restored, mut missed) = (Vec::new(), self.missed.clone());
        // A folder comes before all that is in it.
        for (path, entry) in &self.entries {
            let done = above(path, writable).and_then(|()| entry.restore(path));
            match done {
                Ok(true) => restored.push(path.clone()),
                Ok(false) => {}
                Err(error) => missed.push(format!("`{}` cannot be restored: {error}", path.display())),
            }
        }
        (restored, missed)
    }
}

/// Restores the folders above a path, below one that may be written.
fn above(path: &Path, writable: &[PathBuf]) -> io::Result<()> {
    let Some(root) = writable.iter().find(|root| path.starts_with(root)) else { return Ok(()) };
    let folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| folder != root).collect();
    folders.into_iter().rev().try_for_each(restore_folder)
}

impl Entry {
    /// Restores one entry, if it is not as it was.
    fn restore(&self, path: &Path) -> io::Result<bool> {
        match self {
            Self::Link(target) => restore_link(path, target),
            Self::Folder(rights) => {
                let is_there = path.symlink_metadata().is_ok_and(|now| now.is_dir());
                restore_folder(path)?;
                Ok(given_back(path, rights)? || !is_there)
            }
            Self::File(content, rights) => restore_file(path, content, rights),
        }
    }
}

fn restore_file(path: &Path, content: &[u8], rights: &Permissions) -> io::Result<bool> {
    let (folder, name) = split(path)?;
    let folder = FolderHandle::open(folder)?;
    let here = folder.file(name);
    let is_same = |now: Metadata| {
        let has_form = now.is_file() && now.len() == content.len() as u64 && now.permissions() == *rights;
        has_form && fs::read(&here).is_ok_and(|now| now == content)
    };
    match here.symlink_metadata() {
        Ok(now) if is_same(now.clone()) => return Ok(false),
        Ok(now) if now.is_dir() => removed(path)?,
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(_) | Err(_) => {}
    }
    let unfinished = folder.file(UNFINISHED.as_ref());
    if unfinished.symlink_metadata().is_ok() {
        removed(&path.with_file_name(UNFINISHED))?;
    }
    fs::write(&unfinished, content)?;
    fs::set_permissions(&unfinished, rights.clone())?;
    fs::rename(&unfinished, &here)?;
    Ok(true)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A repository with settings, and the copies of them.
    fn repository() -> (tempfile::TempDir, PathBuf, Kept) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git/hooks/more")).unwrap();
        fs::write(root.join(".git/config"), "[core]\n").unwrap();
        fs::write(root.join(".git/hooks/pre-commit"), "exit 1\n").unwrap();
        fs::set_permissions(root.join(".git/hooks/pre-commit"), Permissions::from_mode(0o750)).unwrap();
        symlink("pre-commit", root.join(".git/hooks/pre-push")).unwrap();
        let kept = Kept::new(&[root.join(".git/config"), root.join(".git/hooks")]);
        (folder, root, kept)
    }

    /// Everything at and below a folder.
    fn copies(root: &Path) -> BTreeMap<PathBuf, Entry> {
        Kept::new(&[root.to_path_buf()]).entries
    }

    #[test]
    fn nothing_is_restored_if_nothing_was_changed() {
        let (_folder, root, kept) = repository();
        assert_eq!(kept.restore(&[root]), (vec![], vec![]));
    }

    /// Harm, and a change to the tree of a repository.
    type Harm = (&'static str, fn(&Path) -> io::Result<()>);

    #[test]
    fn whatever_was_done_is_restored_byte_for_byte() {
        let harms: [Harm; 10] = [
            ("another content", |git| fs::write(git.join("config"), "[hook]\n")),
            ("the same length", |git| fs::write(git.join("config"), "[bore]\n")),
            ("other rights", |git| fs::set_permissions(git.join("config"), Permissions::from_mode(0o777))),
            ("a file removed", |git| fs::remove_file(git.join("hooks/pre-commit"))),
            ("a folder removed", |git| fs::remove_dir_all(git.join("hooks"))),
            ("everything removed", |git| fs::remove_dir_all(git)),
            ("a folder in place of a file", |git| {
                fs::remove_file(git.join("config"))?;
                fs::create_dir_all(git.join("config/a/b"))
            }),
            ("a link in place of a file", |git| {
                fs::rename(git.join("config"), git.join("other"))?;
                symlink("other", git.join("config"))
            }),
            ("another target", |git| {
                fs::remove_file(git.join("hooks/pre-push"))?;
                symlink("/etc/passwd", git.join("hooks/pre-push"))
            }),
            ("closed folders", |git| fs::set_permissions(git.join("hooks"), Permissions::from_mode(0o000))),
        ];
        for (what, harm) in harms {
            let (_folder, root, kept) = repository();
            let before = copies(&root.join(".git"));
            harm(&root.join(".git")).unwrap();
            let (restored, missed) = kept.restore(std::slice::from_ref(&root));
            assert!(!restored.is_empty() && missed.is_empty(), "{what}: {restored:?} {missed:?}");
            let after = copies(&root.join(".git"));
            assert!(before.iter().all(|(path, entry)| after.get(path) == Some(entry)), "{what}");
            assert_eq!(kept.restore(&[root]), (vec![], vec![]), "{what}, twice");
        }
    }

    #[test]
    fn a_moved_folder_is_restored_in_its_place() {
        let (_folder, root, kept) = repository();
        fs::rename(root.join(".git"), root.join("moved")).unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        fs::write(root.join(".git/config"), "[evil]\n").unwrap();
        assert_eq!(kept.restore(std::slice::from_ref(&root)).1, Vec::<String>::new());
        assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), "[core]\n");
        assert_eq!(fs::read_to_string(root.join(".git/hooks/pre-push")).unwrap(), "exit 1\n");
    }

    #[test]
    fn nothing_is_written_behind_a_link_in_place_of_a_folder() {
        let (_folder, root, kept) = repository();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("config"), "[mine]\n").unwrap();
        fs::rename(root.join(".git"), root.join("moved")).unwrap();
        symlink(outside.path(), root.join(".git")).unwrap();
        assert_eq!(kept.restore(std::slice::from_ref(&root)).1, Vec::<String>::new());
        assert_eq!(fs::read_to_string(outside.path().join("config")).unwrap(), "[mine]\n");
        assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), "[core]\n");
    }

    #[test]
    fn what_cannot_be_copied_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large");
        fs::File::create(&large).unwrap().set_len(MOST_BYTES + 1).unwrap();
        let kept = Kept::new(&[large, folder.path().join("missing")]);
        assert_eq!(kept.missed.len(), 1);
        assert!(kept.missed[0].ends_with("cannot be copied: such files are too large together"));
    }
}
