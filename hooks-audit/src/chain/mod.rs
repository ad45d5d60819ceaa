//! The hash chain over the lines of the log, as bytes; no I/O.
//!
//! A file is a header line, then groups of lines. A group is records, each followed by its payload line if it
//! has one, and ends with a commit line. Header and commit lines are *marks*; both end with `"sum"` and
//! `"head"`:
//!
//! ```text
//! leaf = SHA-256(00 || line of the record)             the leaf of the tree of RFC 6962
//! body = SHA-256(leaf ... leaf || the mark up to `,"sum":"`)
//! sum  = the first 8 bytes of body                     a group can be checked alone
//! head = SHA-256(02 || head of the mark before || body)  and in its place
//! ```
//!
//! Hashes cover the bytes as they are in the file; nothing is encoded again to check them. A payload line is
//! not part of `body`: its record holds SHA-256(salt || payload), so that a payload can be erased and the
//! chain still verifies.
//!
//! A chain is written in memory, then read back group by group:
//!
//! ```
//! use hooks_audit::Record;
//! use hooks_audit::chain::{After, Chain, Lines, SALT, Scan};
//! use hooks_core::time::Timestamp;
//!
//! let (mut chain, mut file) = (Chain::new("w0"), Vec::new());
//! chain.header(After::Start, Timestamp(1), &mut file);
//! let mut lines = Lines::behind(chain.seq);
//! lines.push(&mut Record::new("stop", Timestamp(1)), None, &[0; SALT])?;
//! chain.commit(&lines, chain.commit, Timestamp(1), &mut file);
//!
//! let mut read = Chain::new("w0");
//! let mut scan = Scan::new(&file, None);
//! while let Ok(Some(group)) = scan.next_group() {
//!     read = read.follow(&group).ok_or("the group is not in its place")?;
//! }
//! assert_eq!((scan.offset(), read.seq), (file.len(), 1));
//! assert_eq!(read, chain, "the same head and the same tree");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod digest;
pub(crate) mod intact;
mod lines;
mod mark;
mod scan;
mod tree;

use hooks_core::time::Timestamp;

pub use self::digest::Digest;
pub(crate) use self::digest::parse_hex;
pub use self::lines::{LEAST_LINE, Lines};
pub use self::mark::{After, Commit, Header, Mark};
pub(crate) use self::scan::push_erased;
pub use self::scan::{Flaw, Group, Line, Scan, Stored};
pub use self::tree::{Tree, VOID, leaf, node};
use crate::mutant::{self, Mutant};

/// Length of the salt of a payload's digest, in bytes.
pub const SALT: usize = 16;

/// End of a chain: the state that the next line continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Name of the chain.
    pub name: String,
    /// Number of the file being written.
    pub segment: u64,
    /// Number of the last mark.
    pub commit: u64,
    /// Number of the last record.
    pub seq: u64,
    /// Head (hash) of the last mark.
    pub head: Digest,
    /// Tree over all records.
    pub tree: Tree,
    /// Number of records that the last known checkpoint of the chain covers: 0 if checkpoints are enabled and
    /// none was made yet. Marks hold it, because otherwise an attacker who removes checkpoints could remove
    /// all trace of them.
    pub checkpoint: Option<u64>,
}

impl Chain {
    /// A chain without any line.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            segment: 0,
            commit: 0,
            seq: 0,
            head: Digest::default(),
            tree: Tree::default(),
            checkpoint: None,
        }
    }

    /// The chain behind `header`, which is the first line of a file.
    pub fn behind(header: &Header, head: Digest) -> Option<Self> {
        Some(Self {
            name: header.chain.clone(),
            segment: header.segment,
            commit: header.commit,
            seq: header.seq,
            head,
            tree: Tree::new(header.seq, header.range.clone())?,
            checkpoint: header.checkpoint,
        })
    }

    /// Skips `numbers` numbers that records which cannot be read any more may have had: none of them is given
    /// again. The tree gets [`VOID`] leaves in their place. `None` if the count overflows.
    ///
    /// ```
    /// use hooks_audit::chain::Chain;
    ///
    /// let mut chain = Chain::new("w0");
    /// // Three records were damaged; the next one has number 4, so that no number is given twice.
    /// assert_eq!(chain.skip(3), Some(()));
    /// assert_eq!((chain.seq, chain.tree.size()), (3, 3));
    /// assert_eq!(chain.skip(u64::MAX), None);
    /// ```
    pub fn skip(&mut self, numbers: u64) -> Option<()> {
        self.tree.push_void(numbers)?;
        self.seq = self.tree.size();
        Some(())
    }

    /// Begins the next file: appends its header to `out`.
    pub fn header(&mut self, after: After, at: Timestamp, out: &mut Vec<u8>) {
        self.segment += 1;
        let header = Header {
            chain: self.name.clone(),
            segment: self.segment,
            commit: self.commit + 1,
            seq: self.seq,
            at,
            after,
            range: self.tree.range().to_vec(),
            prev: self.head,
            checkpoint: self.checkpoint,
        };
        self.close(&[], |out| header.write(out), out);
    }

    /// Appends a group to `out`: `lines`, and the commit line. `synced` is the last mark that was synced
    /// before.
    pub fn commit(&mut self, lines: &Lines, synced: u64, at: Timestamp, out: &mut Vec<u8>) {
        out.extend_from_slice(lines.bytes());
        for leaf in lines.leaves() {
            self.seq += 1;
            self.tree.push(*leaf);
        }
        let records = lines.leaves().len() as u64;
        let (commit, seq, checkpoint) = (self.commit + 1, self.seq, self.checkpoint);
        let commit = Commit { commit, records, seq, synced, at, checkpoint };
        self.close(lines.leaves(), |out| commit.write(out), out);
    }

    /// Appends the mark that `write` writes, with its hashes over `leaves`.
    fn close(&mut self, leaves: &[Digest], write: impl FnOnce(&mut Vec<u8>), out: &mut Vec<u8>) {
        let start = out.len();
        write(out);
        let body = mark::body(leaves, out.get(start..).unwrap_or_default());
        self.commit += 1;
        self.head = mark::head(&self.head, &body);
        mark::push_end(out, &body, &self.head);
    }

    /// The chain behind `group`, if the group continues this chain: its numbers and the hash of the mark
    /// before must match.
    pub fn follow(&self, group: &Group<'_>) -> Option<Self> {
        let mark = &group.mark;
        let head = mark::head(&self.head, &group.body);
        let mut next = self.clone();
        next.head = head;
        next.commit = mark.commit();
        next.checkpoint = self.checkpoint.max(mark.checkpoint());
        for line in &group.lines {
            next.seq += 1;
            if line.seq != next.seq {
                return None;
            }
            next.tree.push(line.leaf);
        }
        let continues = match mark {
            Mark::Commit(_) => true,
            Mark::Header(header) => {
                next.segment = header.segment;
                if header.after == After::Damaged {
                    next.skip(header.seq.saturating_sub(next.seq))?;
                }
                header.chain == self.name && header.prev == self.head && header.range == next.tree.range()
            }
        };
        let has_head = head == group.head || mutant::is(Mutant::ChecksNoHash);
        let right = has_head && mark.commit() == self.commit + 1 && mark.seq() == next.seq;
        (continues && right).then_some(next)
    }
}

#[cfg(test)]
mod tests;
