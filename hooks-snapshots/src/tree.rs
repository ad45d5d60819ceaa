//! The files of a workspace at one moment.
//!
//! A tree is stored as one file: a header, the time, and its entries in the order of their paths.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// First bytes of a stored tree; the number is the version of the form.
const HEADER: &[u8] = b"hooks-tree-1\n";

/// Bits of a mode that are kept.
const MODE: u32 = 0o7777;

pub(crate) type Id = [u8; 32];

/// The path of an entry, relative to the root.
pub(crate) type Name = Vec<u8>;

/// A file, link or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) content: Content,
    pub(crate) mode: u32,
    pub(crate) stamp: Stamp,
    /// Whether a command created the file, and nothing else changed it since.
    pub(crate) is_made: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// A folder. One that could not be listed has no known entries.
    Folder { is_listed: bool },
    /// A file, with the digest of its content; `None` if it is too large or cannot be read.
    File(Option<Id>),
    /// A link, with its target.
    Link(Vec<u8>),
    /// A pipe, socket or device, which is not restored.
    Other,
}

/// Facts about a file that are known without reading it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) inode: u64,
    pub(crate) size: u64,
    pub(crate) modified: (i64, i64),
    pub(crate) changed: (i64, i64),
    pub(crate) owner: (u32, u32),
}

impl Stamp {
    pub(crate) fn new(of: &Metadata) -> Self {
        Self {
            inode: of.ino(),
            size: of.size(),
            modified: (of.mtime(), of.mtime_nsec()),
            changed: (of.ctime(), of.ctime_nsec()),
            owner: (of.uid(), of.gid()),
        }
    }

    /// A stamp that no file has, so that the file is read again.
    pub(crate) fn unknown(self) -> Self {
        Self { changed: (i64::MIN, 0), ..self }
    }
}

pub(crate) fn mode(of: &Metadata) -> u32 {
    of.mode() & MODE
}

impl Entry {
    /// Whether two entries are the same file to a reader: kind, content and mode.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.content, &other.content) {
            (Content::Folder { .. }, Content::Folder { .. }) => self.mode == other.mode,
            // The mode of a link means nothing.
            (Content::Link(one), Content::Link(two)) => one == two,
            (Content::File(None), Content::File(None)) => {
                (self.mode, self.stamp.size, self.stamp.modified)
                    == (other.mode, other.stamp.size, other.stamp.modified)
            }
            (Content::File(one), Content::File(two)) => one == two && self.mode == other.mode,
            (Content::Other, Content::Other) => true,
            _ => false,
        }
    }

    pub(crate) const fn is_folder(&self) -> bool {
        matches!(self.content, Content::Folder { .. })
    }
}

/// The files of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Milliseconds since 1970 at which the walk began. Files that were changed shortly before are read again.
    pub(crate) at: u64,
    pub(crate) entries: BTreeMap<Name, Entry>,
}

pub(crate) fn as_path(name: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(name))
}

/// The folder of a path; `None` at the root.
pub(crate) fn parent(name: &[u8]) -> Option<&[u8]> {
    name.iter().rposition(|byte| *byte == b'/').and_then(|at| name.get(..at))
}

impl Tree {
    /// Whether a path is in a folder whose entries are not known.
    pub(crate) fn unlisted_above(&self, name: &[u8]) -> bool {
        let mut above = parent(name);
        while let Some(folder) = above {
            let entry = self.entries.get(folder);
            if entry.is_some_and(|entry| matches!(entry.content, Content::Folder { is_listed: false })) {
                return true;
            }
            above = parent(folder);
        }
        false
    }

    pub(crate) fn has_unlisted(&self) -> bool {
        self.entries.values().any(|entry| matches!(entry.content, Content::Folder { is_listed: false }))
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = HEADER.to_vec();
        out.extend(self.at.to_le_bytes());
        for (name, entry) in &self.entries {
            encode_bytes(&mut out, name);
            let Entry { content, mode, stamp, is_made } = entry;
            out.push(u8::from(*is_made));
            out.extend(mode.to_le_bytes());
            for part in [stamp.inode, stamp.size] {
                out.extend(part.to_le_bytes());
            }
            for part in [stamp.modified.0, stamp.modified.1, stamp.changed.0, stamp.changed.1] {
                out.extend(part.to_le_bytes());
            }
            out.extend(stamp.owner.0.to_le_bytes());
            out.extend(stamp.owner.1.to_le_bytes());
            match content {
                Content::Folder { is_listed: true } => out.push(b'd'),
                Content::Folder { is_listed: false } => out.push(b'u'),
                Content::File(None) => out.push(b'n'),
                Content::File(Some(id)) => {
                    out.push(b'f');
                    out.extend(id);
                }
                Content::Link(target) => {
                    out.push(b'l');
                    encode_bytes(&mut out, target);
                }
                Content::Other => out.push(b'o'),
            }
        }
        out
    }

    /// Parses a stored tree; `None` if it has another form.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut left = Reader(bytes.strip_prefix(HEADER)?);
        let mut tree = Self { at: u64::from_le_bytes(left.array()?), entries: BTreeMap::new() };
        let mut all = Vec::new();
        while !left.0.is_empty() {
            all.push((left.bytes()?.to_vec(), left.entry()?));
        }
        // Sorted already, so this only builds the map.
        tree.entries = all.into_iter().collect();
        Some(tree)
    }
}

fn encode_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    // No path of a system has 4 GB.
    out.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend(bytes);
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn part(&mut self, length: usize) -> Option<&'a [u8]> {
        let (part, left) = self.0.split_at_checked(length)?;
        self.0 = left;
        Some(part)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.part(N)?.try_into().ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(self.array()?);
        self.part(usize::try_from(length).ok()?)
    }

    fn entry(&mut self) -> Option<Entry> {
        let is_made = self.array()? == [1];
        let mode = u32::from_le_bytes(self.array()?);
        let (inode, size) = (u64::from_le_bytes(self.array()?), u64::from_le_bytes(self.array()?));
        let mut time = || Some((i64::from_le_bytes(self.array()?), i64::from_le_bytes(self.array()?)));
        let (modified, changed) = (time()?, time()?);
        let owner = (u32::from_le_bytes(self.array()?), u32::from_le_bytes(self.array()?));
        let content = match self.array()? {
            [b'd'] => Content::Folder { is_listed: true },
            [b'u'] => Content::Folder { is_listed: false },
            [b'n'] => Content::File(None),
            [b'f'] => Content::File(Some(self.array()?)),
            [b'l'] => Content::Link(self.bytes()?.to_vec()),
            [b'o'] => Content::Other,
            _ => return None,
        };
        Some(Entry { content, mode, stamp: Stamp { inode, size, modified, changed, owner }, is_made })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_as_it_was_written() {
        let stamp = Stamp { inode: 1, size: 2, modified: (3, 4), changed: (-5, 6), owner: (7, 8) };
        let contents = [
            Content::Folder { is_listed: true },
            Content::Folder { is_listed: false },
            Content::File(None),
            Content::File(Some([9; 32])),
            Content::Link(b"to\xff".to_vec()),
            Content::Other,
        ];
        let entries = contents.into_iter().enumerate();
        let entries = entries.map(|(index, content)| {
            (vec![b'a', index as u8], Entry { content, mode: 0o644, stamp, is_made: index == 3 })
        });
        let tree = Tree { at: 10, entries: entries.collect() };
        let bytes = tree.encode();
        assert_eq!(Tree::decode(&bytes), Some(tree));
        // A part of it is another tree, or none, and never a panic.
        for end in 0..bytes.len() {
            assert_ne!(Tree::decode(&bytes[..end]), Tree::decode(&bytes), "{end}");
        }
    }

    #[test]
    fn the_folder_above_a_path() {
        assert_eq!(parent(b"a/b/c"), Some(&b"a/b"[..]));
        assert_eq!(parent(b"a"), None);
    }
}
