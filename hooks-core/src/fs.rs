//! What is asked of a file system (law 9), in three traits, so that a guard that looks at names cannot write.
//!
//! [`FileSystem`] has two questions, both about one name, neither following the last link: what the path resolver
//! needs. [`Disk`] reads and writes: what a crate needs that keeps text in files. [`LogDisk`] holds files open that
//! grow, and is told when to write them through.
//!
//! The real ones live in the `hooks` crate; `testing::FakeFileSystem` is a tree of names in memory,
//! `testing::FakeDisk` one with content that can be killed at every write.

use std::any::Any;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file system seen through `lstat` and `readlink`.
///
/// A resolver that gets an error other than "not found" does not know what is there, and an unknown
/// is not an allow (law 4).
pub trait FileSystem: Send + Sync {
    /// What stands at `path`, the last link not followed; `None` where nothing does.
    ///
    /// # Errors
    /// Whatever the system answers other than "not found" and "not a directory", which are `None`.
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>>;

    /// The text of the link at `path`, as it is written.
    ///
    /// # Errors
    /// Whatever the system answers, also that there is no link.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
}

/// What stands at one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its type.
    pub kind: EntryKind,
    /// How many names the file has; more than one means that another name, perhaps outside of what a
    /// policy allows, shows the same content.
    pub names: u64,
}

/// The types a write guard tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// An ordinary file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A fifo, a socket, a device, or whatever else is not a place to keep text.
    Special,
}

/// A file system that keeps text, in steps small enough that a crash between two of them can be tested.
///
/// No operation follows a link at the end of its path: what is a link there is refused. Folders on the way are
/// followed; who must not leave a folder asks [`FileSystem::entry`] about each of them first.
pub trait Disk: FileSystem {
    /// The content of the file at `path`, of `limit` bytes at most; `None` where nothing stands.
    ///
    /// # Errors
    /// `InvalidInput` if it is not an ordinary file, `FileTooLarge` if it is longer than `limit`, and whatever the
    /// system answers.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>>;

    /// The names in the folder at `path`, sorted; `None` where nothing stands.
    ///
    /// # Errors
    /// Whatever the system answers, also that it is no folder.
    fn list(&self, path: &Path) -> io::Result<Option<Vec<OsString>>>;

    /// Makes the folder at `path` unless it is there. The one above it has to be.
    ///
    /// # Errors
    /// Whatever the system answers, also that something else has the name.
    fn create_directory(&self, path: &Path) -> io::Result<()>;

    /// Makes a new file at `path` and writes `content` through to the device. A crash may leave a part of it.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, and whatever the system answers.
    fn create(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// Adds `content` to the end of the file at `path`, which is made unless it is there, in one write that others
    /// who append do not tear, through to the device. A crash may leave a part of it.
    ///
    /// # Errors
    /// Whatever the system answers.
    fn append(&self, path: &Path, content: &[u8]) -> io::Result<()>;

    /// Gives what stands at `from` the name `to`, in place of what has it, at one moment.
    ///
    /// # Errors
    /// Whatever the system answers.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Gives the file at `from` the name `to` as well, at one moment.
    ///
    /// # Errors
    /// `AlreadyExists` if the name is taken, and whatever the system answers; not all of them know this.
    fn link(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Takes the file at `path` away.
    ///
    /// # Errors
    /// `NotFound` if there is none, and whatever the system answers.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Writes the names in the folder at `path` through to the device; nothing where the system does that itself.
    ///
    /// # Errors
    /// Whatever the system answers.
    fn sync_directory(&self, path: &Path) -> io::Result<()>;

    /// Holds the file at `path`, which is made unless it is there, against everyone else who asks for it, in this
    /// process and others. The lock ends with its holder, also when that is killed; the file stays.
    ///
    /// # Errors
    /// `TimedOut` if somebody else holds it for longer than `wait`, and whatever the system answers.
    fn lock(&self, path: &Path, wait: Duration) -> io::Result<DiskLock>;
}

/// A disk on which logs grow: files that are held open, added to, and written through when that is asked for.
pub trait LogDisk: Disk {
    /// Opens the file at `path` to add to its end; it is made, empty, unless it is there.
    ///
    /// # Errors
    /// `InvalidInput` if it is not an ordinary file, and whatever the system answers.
    fn open_log(&self, path: &Path) -> io::Result<Box<dyn LogFile>>;

    /// The bytes of the file at `path` from `offset` on, `limit` at most; fewer where it ends before, `None` where
    /// nothing stands.
    ///
    /// # Errors
    /// `InvalidInput` if it is not an ordinary file, and whatever the system answers.
    fn read_part(&self, path: &Path, offset: u64, limit: usize) -> io::Result<Option<Vec<u8>>>;
}

/// An open file of a [`LogDisk`].
pub trait LogFile: Send {
    /// How long it is, in bytes.
    ///
    /// # Errors
    /// Whatever the system answers.
    fn length(&mut self) -> io::Result<u64>;

    /// Adds `content` at the end. It survives the process from here on, and not yet a loss of power.
    ///
    /// # Errors
    /// Whatever the system answers; a part of `content` may be there then.
    fn append(&mut self, content: &[u8]) -> io::Result<()>;

    /// Writes its content through to the device.
    ///
    /// # Errors
    /// Whatever the system answers. Nothing is known then of what was added since the last success, and asking again
    /// does not help: a system may forget what it failed to write.
    fn sync(&mut self) -> io::Result<()>;

    /// Cuts off what stands behind the first `length` bytes.
    ///
    /// # Errors
    /// Whatever the system answers.
    fn truncate(&mut self, length: u64) -> io::Result<()>;
}

/// A held lock, which ends when this is dropped.
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
