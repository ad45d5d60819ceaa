//! Files behind links, which a [`Disk`] does not follow by itself.

use std::path::{Path, PathBuf};

use hooks_core::fs::{Disk, EntryKind};

/// The most links that are followed.
const LINKS: usize = 16;

/// Result of resolving a path.
pub(super) enum FileLookup {
    /// A regular file, at this path after links are followed.
    File(PathBuf),
    /// No entry, or an entry that is not a file.
    Nothing,
    /// The file system returned an error.
    Refused,
}

/// Resolves `path` to a regular file. Links in its last part are followed.
pub(super) fn file(disk: &dyn Disk, path: &Path) -> FileLookup {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match disk.entry(&path) {
            Ok(Some(entry)) if entry.kind == EntryKind::File => return FileLookup::File(path),
            Ok(Some(entry)) if entry.kind == EntryKind::Symlink => match disk.read_link(&path) {
                Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
                Err(_) => return FileLookup::Refused,
            },
            Ok(_) => return FileLookup::Nothing,
            Err(_) => return FileLookup::Refused,
        }
    }
    FileLookup::Nothing
}

/// Creates the folder at `path` and its missing parents.
pub(super) fn make_folders(disk: &dyn Disk, path: &Path) -> std::io::Result<()> {
    let mut missing: Vec<&Path> = Vec::new();
    for folder in path.ancestors().filter(|folder| !folder.as_os_str().is_empty()) {
        if matches!(disk.entry(folder), Ok(Some(_))) {
            break;
        }
        missing.push(folder);
    }
    missing.into_iter().rev().try_for_each(|folder| disk.create_directory(folder))
}
