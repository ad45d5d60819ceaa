//! Copies of the files that may not be written, for machines without mounts. Clean-up restores them after the command.
//!
//! Landlock gives rights to folders with all that is in them, so it cannot close one file where others may be made. Other commands may
//! run in the same folders, so each file is opened through a handle of its folder and never through a link.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::folder_handle::{FolderHandle, split};
use super::repair::{given_back, opened, removed, restore_folder, restore_link};

/// Most files and folders that are copied.
const MOST_ENTRIES: usize = 20_000;

/// Most bytes that are copied; they are in memory.
const MOST_BYTES: u64 = 64 << 20;

/// Beginning of the name of a file until it is whole, and most names that are tried.
const UNFINISHED: &str = ".hooks-restored-";
const MOST_NAMES: u32 = 1_000;

/// Copies of files and folders, by their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    entries: BTreeMap<PathBuf, Entry>,
    bytes: u64,
    /// Own files and settings of git without a copy, with reasons.
    pub(super) missed: Vec<String>,
    /// Number of other files without a copy.
    pub(super) left: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Folder(Permissions),
    File(Copied),
    Link(PathBuf),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Copied {
    content: Vec<u8>,
    rights: Permissions,
    /// User and group.
    owner: (u32, u32),
}

impl Kept {
    /// Copies files, and folders with all that is in them: first those that nothing opens, then the others, and near ones before deep ones.
    /// So what a command makes in a folder of its own takes no room from the settings of the workspace.
    pub(super) fn new(paths: &[PathBuf], fixed: &BTreeSet<PathBuf>) -> Self {
        let mut kept = Self::default();
        let is_own = |path: &Path| path.ancestors().any(|above| fixed.contains(above));
        let mut paths = paths.to_vec();
        paths.sort_by_key(|path| path.components().count());
        let (mut own, mut open): (VecDeque<_>, VecDeque<_>) =
            paths.into_iter().partition(|path| is_own(path));
        while let Some(path) = own.pop_front().or_else(|| open.pop_front()) {
            match kept.add(&path) {
                Ok(inner) => {
                    for path in inner {
                        if is_own(&path) { &mut own } else { &mut open }.push_back(path);
                    }
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) if is_own(&path) => {
                    kept.missed.push(format!("`{}` was not copied: {error}", path.display()));
                }
                Err(_) => kept.left += 1,
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
        } else {
            let (folder, name) = split(path)?;
            let room = MOST_BYTES.saturating_sub(self.bytes);
            let copied = copied(&FolderHandle::open(folder)?.file(name), room)?;
            self.bytes = self.bytes.saturating_add(copied.content.len() as u64);
            Entry::File(copied)
        };
        self.entries.insert(path.to_path_buf(), entry);
        Ok(inner)
    }

    /// Restores changed entries; returns their paths, and a reason for each entry that could not be restored.
    pub(super) fn restore(&self, writable: &[PathBuf]) -> (Vec<PathBuf>, Vec<String>) {
        let (mut restored, mut missed) = (BTreeSet::new(), self.missed.clone());
        let mut note = |path: &Path, done: io::Result<bool>| match done {
            Ok(true) => _ = restored.insert(path.to_path_buf()),
            Ok(false) => {}
            Err(error) => missed.push(format!("`{}` cannot be restored: {error}", path.display())),
        };
        // A folder comes before all that is in it.
        for (path, entry) in &self.entries {
            note(path, above(path, writable).and_then(|()| entry.restore(path)));
        }
        // Their rights come last, as one of them may close a folder.
        for (path, entry) in self.entries.iter().rev() {
            if let Entry::Folder(rights) = entry {
                note(path, given_back(path, rights));
            }
        }
        (restored.into_iter().collect(), missed)
    }
}

/// The content of a file that has at most `room` bytes, with its rights and owner.
fn copied(path: &Path, room: u64) -> io::Result<Copied> {
    let mut file = opened_file(path)?;
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::other("only files, folders and links can be copied"));
    }
    let mut content = Vec::new();
    (&mut file).take(room.saturating_add(1)).read_to_end(&mut content)?;
    if content.len() as u64 > room {
        return Err(io::Error::other("such files are too large together"));
    }
    Ok(Copied { content, rights: about.permissions(), owner: owner(&about) })
}

/// Opens a file for reading. A link is not followed, and a pipe does not block.
#[cfg(target_os = "linux")]
fn opened_file(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(not(target_os = "linux"))]
fn opened_file(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Restores the folders above a path, below one that may be written.
fn above(path: &Path, writable: &[PathBuf]) -> io::Result<()> {
    let Some(root) = writable.iter().find(|root| path.starts_with(root)) else { return Ok(()) };
    let folders: Vec<&Path> = path.ancestors().skip(1).take_while(|folder| folder != root).collect();
    folders.into_iter().rev().try_for_each(restore_folder)
}

impl Entry {
    /// Restores one entry but for the rights of a folder, if it is not as it was.
    fn restore(&self, path: &Path) -> io::Result<bool> {
        match self {
            Self::Link(target) => restore_link(path, target),
            Self::Folder(_) => {
                let is_there = path.symlink_metadata().is_ok_and(|now| now.is_dir());
                restore_folder(path)?;
                Ok(!is_there)
            }
            Self::File(copied) => copied.restore(path),
        }
    }
}

impl Copied {
    fn restore(&self, path: &Path) -> io::Result<bool> {
        let (folder, name) = split(path)?;
        let folder = FolderHandle::open(folder)?;
        let here = folder.file(name);
        match here.symlink_metadata() {
            Ok(now) if self.is_at(&here, &now) => return Ok(false),
            Ok(now) if now.is_dir() => removed(path)?,
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(_) | Err(_) => {}
        }
        match self.put(&folder, &here) {
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                let rights = opened(&folder)?;
                let done = self.put(&folder, &here);
                folder.set_rights(rights)?;
                done
            }
            done => done,
        }
        .map(|()| true)
    }

    fn is_at(&self, here: &Path, now: &Metadata) -> bool {
        let length = self.content.len() as u64;
        now.is_file()
            && now.len() == length
            && now.permissions() == self.rights
            && copied(here, length).is_ok_and(|now| now.content == self.content)
    }

    /// Writes a new file, and gives it the name.
    fn put(&self, folder: &FolderHandle, here: &Path) -> io::Result<()> {
        let (mut file, unfinished) = new_file(folder)?;
        let written = file
            .write_all(&self.content)
            .and_then(|()| give(&file, self.owner))
            .and_then(|()| file.set_permissions(self.rights.clone()))
            .and_then(|()| fs::rename(&unfinished, here));
        written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
    }
}

/// Makes a file with a name that no other has, for this user alone.
fn new_file(folder: &FolderHandle) -> io::Result<(File, PathBuf)> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for number in 0..MOST_NAMES {
        let path = folder.file(format!("{UNFINISHED}{}-{number}", std::process::id()).as_ref());
        match options.open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, path)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(unix)]
fn owner(about: &Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    (about.uid(), about.gid())
}

/// Gives a file to its owner. Only the superuser can give it to another user, and for all others it is theirs.
#[cfg(unix)]
fn give(file: &File, owner: (u32, u32)) -> io::Result<()> {
    if self::owner(&file.metadata()?) == owner {
        return Ok(());
    }
    match std::os::unix::fs::fchown(file, Some(owner.0), Some(owner.1)) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn owner(_about: &Metadata) -> (u32, u32) {
    (0, 0)
}

#[cfg(not(unix))]
fn give(_file: &File, _owner: (u32, u32)) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn fixed(root: &Path) -> BTreeSet<PathBuf> {
        [".git/config", ".git/hooks"].map(|name| root.join(name)).into()
    }

    /// A repository with settings, and the copies of them.
    fn repository() -> (tempfile::TempDir, PathBuf, Kept) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git/hooks/more")).unwrap();
        fs::write(root.join(".git/config"), "[core]\n").unwrap();
        fs::write(root.join(".git/hooks/pre-commit"), "exit 1\n").unwrap();
        fs::set_permissions(root.join(".git/hooks/pre-commit"), Permissions::from_mode(0o750)).unwrap();
        symlink("pre-commit", root.join(".git/hooks/pre-push")).unwrap();
        fs::write(root.join(".git/hooks/more/x"), "mine").unwrap();
        fs::set_permissions(root.join(".git/hooks/more"), Permissions::from_mode(0o555)).unwrap();
        let kept = Kept::new(&[root.join(".git/config"), root.join(".git/hooks")], &fixed(&root));
        (folder, root, kept)
    }

    /// Everything at and below a folder.
    fn copies(root: &Path) -> BTreeMap<PathBuf, Entry> {
        Kept::new(&[root.to_path_buf()], &BTreeSet::new()).entries
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
        let harms: [Harm; 11] = [
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
            ("a folder that was closed for writing", |git| {
                fs::set_permissions(git.join("hooks/more"), Permissions::from_mode(0o755))?;
                fs::write(git.join("hooks/more/x"), "evil")
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

    /// A name that is known could be that of a link to any file.
    #[test]
    fn no_file_is_written_through_a_link() {
        let (_folder, root, kept) = repository();
        let outside = tempfile::NamedTempFile::new().unwrap();
        for number in 0..3 {
            let name = format!("{UNFINISHED}{}-{number}", std::process::id());
            symlink(outside.path(), root.join(".git").join(name)).unwrap();
        }
        fs::write(root.join(".git/config"), "[evil]\n").unwrap();
        assert_eq!(kept.restore(std::slice::from_ref(&root)).1, Vec::<String>::new());
        assert_eq!(fs::read_to_string(root.join(".git/config")).unwrap(), "[core]\n");
        assert_eq!(outside.as_file().metadata().unwrap().len(), 0);
    }

    #[test]
    fn own_files_are_copied_before_large_ones_and_what_is_left_is_counted() {
        let folder = tempfile::tempdir().unwrap();
        let (large, own) = (folder.path().join("a-large"), folder.path().join("hooks.yaml"));
        File::create(&large).unwrap().set_len(MOST_BYTES).unwrap();
        fs::write(&own, "version: 1").unwrap();
        let paths = [large.clone(), own.clone(), folder.path().join("missing"), folder.path().join("pipe")];
        rustix::fs::mkfifoat(rustix::fs::CWD, &paths[3], rustix::fs::Mode::RWXU).unwrap();
        let kept = Kept::new(&paths, &[own.clone()].into());
        assert!(kept.entries.contains_key(&own) && kept.missed.is_empty());
        assert_eq!(kept.left, 2, "the large file and the pipe");
        let kept = Kept::new(&paths, &[large].into());
        assert!(kept.entries.is_empty() || kept.left > 0, "{kept:?}");
    }
}
