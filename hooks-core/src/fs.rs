//! File system access (law 9), in three traits, so that a guard that only looks at names cannot write.
//!
//! [`FileSystem`] is all that the path resolver and the guards need: questions about names, none of which follows
//! the last link. [`Disk`] reads and writes, for crates that store text in files. [`LogDisk`] keeps growing
//! files open and flushes them when asked to.
//!
//! The implementations for the real system are in `hooks-system`. `testing::FakeFileSystem` is a tree of
//! names in memory; `testing::FakeDisk` has content as well and can simulate a crash at every write.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file system seen through `lstat`, `readlink` and `readdir`.
///
/// If a resolver gets an error other than "not found", it does not know what the path refers to, and must not
/// allow it (law 4).
pub trait FileSystem: Send + Sync {
    /// Returns the entry at `path` without following the last link, or `None` if there is nothing.
    ///
    /// # Errors
    /// Returns the error of the system, except "not found" and "not a directory", for which the result is
    /// `None`.
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>>;

    /// Returns the target of the link at `path`, unresolved.
    ///
    /// # Errors
    /// Returns the error of the system; also if `path` is not a link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;

    /// Returns whether two names are hard links of one file. A missing file is not the same as any.
    ///
    /// # Errors
    /// Returns the error of the system; `Unsupported` if it has no such information, as by default.
    fn is_same_file(&self, _one: &Path, _other: &Path) -> io::Result<bool> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns at most `most` names in the folder at `path`, in any order; none if there is no folder.
    ///
    /// # Errors
    /// Returns `FileTooLarge` if there are more; otherwise the error of the system, `Unsupported` by default.
    fn names_in(&self, _path: &Path, _most: usize) -> io::Result<Vec<OsString>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the names of the files in the archive at `path`, at most `most`.
    ///
    /// # Errors
    /// Returns `FileTooLarge` if there are more; otherwise the error of the system, or `Unsupported` if it is not an archive
    /// of a known form, as by default.
    fn archive_names(&self, _path: &Path, _most: usize) -> io::Result<Vec<String>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns the text of the regular file at `path`, of at most `most` bytes.
    ///
    /// # Errors
    /// Returns `FileTooLarge` if it is longer, `InvalidData` if it is a program that was built, `Unsupported` for other bytes that
    /// are not UTF-8 and by default; otherwise the error of the system.
    fn text_of(&self, _path: &Path, _most: u64) -> io::Result<String> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns whether files of the agent's session are known, so that [`of_session`](Self::of_session) finds some.
    fn has_session_files(&self) -> bool {
        false
    }

    /// Returns the content of the file at `path`, of at most `most` bytes, if the agent's session wrote it; `None` for a file
    /// that was there before, and by default. No link is followed.
    ///
    /// # Errors
    /// Returns an error if the session wrote the file, but its content is not known.
    fn of_session(&self, _path: &Path, _most: u64) -> io::Result<Option<SessionFile>> {
        Ok(None)
    }
}

/// Content of a file that the agent's session wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionFile {
    /// A text.
    Text(String),
    /// A copy of the program with this name.
    Program(String),
    /// A program that was built.
    Other,
}

/// The entry at one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Type of the entry.
    pub kind: EntryKind,
    /// Number of hard links of the file. If it is more than one, another name shows the same content, perhaps
    /// outside the paths that a policy allows.
    pub names: u64,
}

/// The file types that a write guard distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, a socket, a device, or anything else that does not store text.
    Special,
}

/// A file system that stores text, in steps small enough to test a crash between any two of them.
///
/// No operation follows a link at the end of its path: a link there is an error. Links in the folders on the
/// way are followed. A caller that must not leave a folder checks each folder with [`FileSystem::entry`]
/// first.
pub trait Disk: FileSystem {
    /// Reads the file at `path`, at most `limit` bytes; `None` if there is no file.
    ///
    /// # Errors
    /// Returns `InvalidInput` if it is not a regular file; `FileTooLarge` if it is longer than `limit`;
    /// otherwise the error of the system.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>>;

    /// Returns the names in the folder at `path`, sorted; `None` if there is no folder.
    ///
    /// # Errors
    /// Returns the error of the system; also if `path` is not a folder.
    fn list(&self, path: &Path) -> io::Result<Option<Vec<OsString>>>;

    /// Creates the folder at `path` unless it exists. The parent folder has to exist.
    ///
    /// # Errors
    /// Returns the error of the system; also if something else has the name.
    fn create_directory(&self, path: &Path) -> io::Result<()>;

    /// Creates a file at `path` and flushes `content` to the device. After a crash, the file may contain only
    /// a part of it.
    ///
    /// # Errors
    /// Returns `AlreadyExists` if the name is taken; otherwise the error of the system.
    fn create(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// Appends `content` to the file at `path` and flushes it to the device. A missing file is created. It is
    /// one write, which writes of other processes do not split. After a crash, the file may contain only a
    /// part of it.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// Renames `from` to `to` atomically; a file that has the name `to` is replaced.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives the file at `from` the additional name `to`, atomically.
    ///
    /// # Errors
    /// Returns `AlreadyExists` if the name is taken; otherwise the error of the system. Not every system
    /// supports this.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes the file at `path`.
    ///
    /// # Errors
    /// Returns `NotFound` if there is no file; otherwise the error of the system.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Flushes the names in the folder at `path` to the device. It does nothing on systems that do this
    /// themselves.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;

    /// Locks the file at `path` against all other callers, in this process and in others. A missing file is
    /// created. The lock ends when its holder is dropped or its process is killed; the file stays.
    ///
    /// # Errors
    /// Returns `TimedOut` if another holder keeps the lock for longer than `wait`; otherwise the error of the
    /// system.
    fn lock(&self, path: &Path, wait: Duration) -> io::Result<DiskLock>;
}

/// A disk with log files: they are kept open, appended to, and flushed when asked to.
pub trait LogDisk: Disk {
    /// Opens the file at `path` to append to it. A missing file is created, empty.
    ///
    /// # Errors
    /// Returns `InvalidInput` if it is not a regular file; otherwise the error of the system.
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;

    /// Reads at most `limit` bytes of the file at `path`, starting at `offset`. Returns fewer if the file
    /// ends before, and `None` if there is no file.
    ///
    /// # Errors
    /// Returns `InvalidInput` if it is not a regular file; otherwise the error of the system.
    fn read_part(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Option<Vec<u8>>>;
}

/// An open file of a [`LogDisk`].
pub trait LogFile: Send {
    /// Returns the length of the file in bytes.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn length(&mut self) -> io::Result<u64>;

    /// Appends `content`. Afterwards it survives the end of the process, but not a loss of power.
    ///
    /// # Errors
    /// Returns the error of the system; a part of `content` may have been written.
    fn append(&mut self, content: &[u8]) -> io::Result<()>;

    /// Flushes the content of the file to the device.
    ///
    /// # Errors
    /// Returns the error of the system. The state of everything appended since the last success is unknown
    /// then. A retry does not help: the system may have dropped the data that it could not write.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts the file to its first `length` bytes.
    ///
    /// # Errors
    /// Returns the error of the system.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

/// A held lock. It ends when this is dropped.
#[must_use = "the lock ends when this is dropped"]
pub struct DiskLock(#[expect(dead_code, reason = "it is held until it is dropped")] Box<dyn Any + Send>);

impl DiskLock {
    /// A lock that ends when `holder` is dropped.
    pub fn new(holder: impl Any + Send) -> Self {
        Self(Box::new(holder))
    }
}

impl fmt::Debug for DiskLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DiskLock")
    }
}
