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
        let is_long = file.metadata()?.len() > most;
        let mut bytes = Vec::new();
        file.by_ref().take(if is_long { LONGEST_START } else { most }).read_to_end(&mut bytes)?;
        // A program is not text, however long it is. A shell runs a text that is not UTF-8.
        if is_program(&bytes) {
            return Err(ErrorKind::InvalidData.into());
        }
        if is_long {
            return Err(ErrorKind::FileTooLarge.into());
        }
        String::from_utf8(bytes).map_err(|_| ErrorKind::Unsupported.into())
    }
}

/// Bytes with which the system starts a program, or an interpreter one that was built.
const PROGRAMS: [&[u8]; 8] = [
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
    b"\0asm",
    b"MZ",
];

/// Bytes of a longer file that are looked at.
const LONGEST_START: u64 = 4_096;

/// Returns whether bytes are those of a built program: they begin like one, and a zero byte is in the first line.
fn is_program(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    PROGRAMS.iter().any(|start| bytes.starts_with(start)) && line.contains(&0)
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
    fn texts_in_another_encoding_are_no_programs() {
        let dir = tempfile::tempdir().unwrap();
        let of = |bytes: &[u8], most: u64| {
            fs::write(dir.path().join("file"), bytes).unwrap();
            StdFileSystem.text_of(&dir.path().join("file"), most).map_err(|error| error.kind())
        };
        assert_eq!(of(b"ls", 9).as_deref(), Ok("ls"));
        assert_eq!(of(b"ls # \xff", 9), Err(ErrorKind::Unsupported));
        assert_eq!(of(b"ls\n\0\xff", 9), Err(ErrorKind::Unsupported));
        assert_eq!(of(b"MZ=1\nls\n\0\xff", 99), Err(ErrorKind::Unsupported));
        assert_eq!(of(b"\x7fELF\x02\x01\x01\0\xff", 99), Err(ErrorKind::InvalidData));
        assert_eq!(of(b"\x7fELF\x02\x01\x01\0\xff", 4), Err(ErrorKind::InvalidData));
        assert_eq!(of(b"ls\n\0ls", 4), Err(ErrorKind::FileTooLarge));
    }

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
