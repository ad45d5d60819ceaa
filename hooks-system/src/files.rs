//! The system's files by their names; links are not followed.

use std::ffi::OsString;
use std::fs::{self, FileType, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use hooks_core::fs::{Entry, EntryKind, FileSystem};

use super::archive;
use super::disk::is_absent;

/// The files of this machine, read with `lstat`, `readlink` and `readdir`.
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
///
/// The names in a folder; more than wanted are an error, as is a file that is no archive:
///
/// ```
/// use hooks_core::fs::{Disk, FileSystem};
/// use hooks_system::StdFileSystem;
///
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("notes");
/// StdFileSystem.create(&file, b"text")?;
/// assert_eq!(StdFileSystem.names_in(folder.path(), 1)?, ["notes"]);
/// assert!(StdFileSystem.names_in(folder.path(), 0).is_err());
/// assert!(StdFileSystem.archive_names(&file, 10).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StdFileSystem;

impl FileSystem for StdFileSystem {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        match path.symlink_metadata() {
            Ok(metadata) => Ok(Some(Entry { kind: kind(metadata.file_type()), names: names(&metadata) })),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        path.read_link()
    }

    #[cfg(unix)]
    fn is_same_file(&self, one: &Path, other: &Path) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| match path.symlink_metadata() {
            Ok(metadata) => Ok(Some((metadata.dev(), metadata.ino()))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        };
        let (one, other) = (identity(one)?, identity(other)?);
        Ok(one.is_some() && one == other)
    }

    fn names_in(&self, path: &Path, most: usize) -> io::Result<Vec<OsString>> {
        let entries = match path.read_dir() {
            Ok(entries) => entries,
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut names = Vec::new();
        for entry in entries {
            if names.len() == most {
                return Err(ErrorKind::FileTooLarge.into());
            }
            names.push(entry?.file_name());
        }
        Ok(names)
    }

    fn archive_names(&self, path: &Path, most: usize) -> io::Result<Vec<String>> {
        archive::names(&regular(path)?, most)
    }

    fn text_of(&self, path: &Path, most: u64) -> io::Result<String> {
        let mut file = regular(path)?;
        if file.metadata()?.len() > most {
            // A program is not text, however long it is.
            let mut start = [0; 4_096];
            let length = file.read(&mut start)?;
            let is_text = !start.iter().take(length).any(|byte| *byte == 0);
            let kind = if is_text { ErrorKind::FileTooLarge } else { ErrorKind::InvalidData };
            return Err(kind.into());
        }
        let mut text = String::new();
        file.take(most).read_to_string(&mut text)?;
        Ok(text)
    }
}

/// Opens a regular file; anything else, such as a FIFO, could block.
fn regular(path: &Path) -> io::Result<fs::File> {
    if !fs::metadata(path)?.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    fs::File::open(path)
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

        let same = |one: &str, other: &str| StdFileSystem.is_same_file(&at(one), &at(other)).unwrap();
        fs::write(at("copy"), "text").unwrap();
        assert!(same("file", "other") && same("file", "file"));
        assert!(!same("file", "copy") && !same("missing", "missing") && !same("file", "link"));
        let mut names = StdFileSystem.names_in(dir.path(), 4).unwrap();
        names.sort();
        assert_eq!(names, ["copy", "file", "link", "other"]);
        assert_eq!(StdFileSystem.names_in(dir.path(), 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert!(StdFileSystem.names_in(&at("missing"), 1).unwrap().is_empty());
        assert!(StdFileSystem.names_in(&at("file"), 1).unwrap().is_empty());
    }
}
