//! What the path resolver asks of a file system (law 9): two questions, both about one name, neither
//! following the last link.
//!
//! The real one lives in the `hooks` crate; `testing::FakeFileSystem` is a tree in memory.

use std::io;
use std::path::{Path, PathBuf};

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
