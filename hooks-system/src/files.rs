//! The system's files, one name at a time; links are not followed.

use std::fs::{FileType, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use hooks_core::fs::{Entry, EntryKind, FileSystem};

/// The files of this machine, read with `lstat` and `readlink`.
///
/// ```
/// use hooks_core::fs::{Disk, FileSystem};
/// use hooks_system::StdFileSystem;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("notes");
/// assert_eq!(StdFileSystem.entry(&file)?, None); // a missing file is no error
/// StdFileSystem.create(&file, b"one")?;
/// let taken = StdFileSystem.create(&file, b"two").unwrap_err();
/// assert_eq!(taken.kind(), std::io::ErrorKind::AlreadyExists);
/// let long = StdFileSystem.read(&file, 2).unwrap_err();
/// assert_eq!(long.kind(), std::io::ErrorKind::FileTooLarge);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StdFileSystem;

impl FileSystem for StdFileSystem {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        match path.symlink_metadata() {
            Ok(metadata) => Ok(Some(Entry { kind: kind(metadata.file_type()), names: names(&metadata) })),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        path.read_link()
    }
}

fn kind(of: FileType) -> EntryKind {
    if of.is_symlink() {
        EntryKind::Symlink
    } else if of.is_dir() {
        EntryKind::Directory
    } else if of.is_file() {
        EntryKind::File
    } else {
        EntryKind::Special
    }
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

/// On other systems the standard library does not count names; nearly every file has one.
#[cfg(not(unix))]
fn names(_metadata: &Metadata) -> u64 {
    1
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn names_are_told_apart() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("file"), "text").unwrap();
        fs::hard_link(at("file"), at("other")).unwrap();
        std::os::unix::fs::symlink("nowhere", at("link")).unwrap();

        let entry = |name: &str| StdFileSystem.entry(&at(name)).unwrap();
        assert_eq!(entry("file"), Some(Entry { kind: EntryKind::File, names: 2 }));
        assert_eq!(entry("link").unwrap().kind, EntryKind::Symlink);
        assert_eq!(entry(".").unwrap().kind, EntryKind::Directory);
        assert_eq!(entry("missing"), None);
        assert_eq!(entry("file/below"), None);
        assert_eq!(StdFileSystem.read_link(&at("link")).unwrap(), Path::new("nowhere"));
        assert!(StdFileSystem.entry(Path::new("a\0b")).is_err());
    }
}
