//! Files behind links, which a [`Disk`] does not follow by itself.

use std::path::{Path, PathBuf};

use hooks_core::fs::{Disk, EntryKind};

/// How many links are followed.
const LINKS: usize = 16;

/// What became of a look at a name.
pub(super) enum Found {
    /// An ordinary file, at this path once links are followed.
    File(PathBuf),
    /// Nothing, or something else than a file.
    Nothing,
    /// The file system refused.
    Refused,
}

/// The ordinary file at `path`, links at its end followed.
pub(super) fn file(disk: &dyn Disk, path: &Path) -> Found {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match disk.entry(&path) {
            Ok(Some(entry)) if entry.kind == EntryKind::File => return Found::File(path),
            Ok(Some(entry)) if entry.kind == EntryKind::Symlink => match disk.read_link(&path) {
                Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
                Err(_) => return Found::Refused,
            },
            Ok(_) => return Found::Nothing,
            Err(_) => return Found::Refused,
        }
    }
    Found::Nothing
}

/// Makes the folder at `path` and those above it.
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
