//! A file system in memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::fs::{Entry, EntryKind, FileSystem};

/// A tree of names in memory, which counts the questions it is asked. Clones share the tree.
///
/// ```
/// use std::path::Path;
/// use hooks_core::fs::{EntryKind, FileSystem};
/// use hooks_core::testing::FakeFileSystem;
///
/// let files = FakeFileSystem::default().with("/repo/src/a.rs", EntryKind::File).with_link("/repo/link", "src");
/// let kind = |path| files.entry(Path::new(path)).expect("a fake disk").map(|entry| entry.kind);
/// assert_eq!(kind("/repo/src"), Some(EntryKind::Directory)); // folders above are there too
/// assert_eq!(kind("/repo/link"), Some(EntryKind::Symlink)); // links are not followed
/// assert_eq!(kind("/repo/missing"), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FakeFileSystem {
    tree: Arc<RwLock<Tree>>,
    lookups: Arc<AtomicUsize>,
}

/// Entries by name.
type Tree = HashMap<Box<[u8]>, Node, BuildHasherDefault<Words>>;

#[derive(Clone, Debug)]
enum Node {
    Plain(EntryKind, u64),
    Link(PathBuf),
    Broken(io::ErrorKind),
}

impl FakeFileSystem {
    /// Puts an entry at `path` and creates all directories above it.
    #[must_use]
    pub fn with(self, path: impl AsRef<Path>, kind: EntryKind) -> Self {
        self.put(path.as_ref(), Node::Plain(kind, 1));
        self
    }

    /// Puts a file at `path` that has `names` hard links.
    #[must_use]
    pub fn with_names(self, path: impl AsRef<Path>, names: u64) -> Self {
        self.put(path.as_ref(), Node::Plain(EntryKind::File, names));
        self
    }

    /// Puts a link at `path`.
    #[must_use]
    pub fn with_link(self, path: impl AsRef<Path>, target: impl Into<PathBuf>) -> Self {
        self.link(path, target);
        self
    }

    /// Makes every question about `path` fail with `kind`.
    #[must_use]
    pub fn with_broken(self, path: impl AsRef<Path>, kind: io::ErrorKind) -> Self {
        self.put(path.as_ref(), Node::Broken(kind));
        self
    }

    /// Puts a link at `path`; an existing entry is replaced.
    pub fn link(&self, path: impl AsRef<Path>, target: impl Into<PathBuf>) {
        self.put(path.as_ref(), Node::Link(target.into()));
    }

    /// Returns the number of calls of [`FileSystem::entry`] so far.
    pub fn lookups(&self) -> usize {
        self.lookups.load(Ordering::Relaxed)
    }

    fn put(&self, path: &Path, node: Node) {
        let mut tree = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        for above in path.ancestors().skip(1) {
            tree.entry(name(above).into()).or_insert(Node::Plain(EntryKind::Directory, 1));
        }
        tree.insert(name(path).into(), node);
    }

    fn node(&self, path: &Path) -> Option<Node> {
        self.tree.read().unwrap_or_else(PoisonError::into_inner).get(name(path)).cloned()
    }
}

impl FileSystem for FakeFileSystem {
    fn entry(&self, path: &Path) -> io::Result<Option<Entry>> {
        self.lookups.fetch_add(1, Ordering::Relaxed);
        match self.node(path) {
            None => Ok(None),
            Some(Node::Plain(kind, names)) => Ok(Some(Entry { kind, names })),
            Some(Node::Link(_)) => Ok(Some(Entry { kind: EntryKind::Symlink, names: 1 })),
            Some(Node::Broken(kind)) => Err(kind.into()),
        }
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        match self.node(path) {
            Some(Node::Link(target)) => Ok(target),
            Some(Node::Broken(kind)) => Err(kind.into()),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

/// Returns the key of a path: its text, without a slash at the end.
fn name(path: &Path) -> &[u8] {
    match path.as_os_str().as_encoded_bytes() {
        [name @ .., b'/'] if !name.is_empty() => name,
        name => name,
    }
}

/// Hashes eight bytes at a time, with one multiplication each, as FxHash does. Guards are benchmarked on this
/// file system; with a hash that resists attackers, most of the measured time would be hashing.
#[derive(Debug, Default)]
struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
            self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
