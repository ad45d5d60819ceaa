//! Proofs for holders of a chain's root, without its records, that a record is in the chain (RFC 6962,
//! section 2.1.1).

use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;
use serde::{Serialize, Serializer};

use crate::chain::{After, Digest, LEAST_LINE, Line, Mark, Scan, VOID, leaf, node};
use crate::segment::{self, MOST_BYTES};

/// Limit on the numbers skipped behind a damaged file: more than the records that a file can have.
const MOST_VOID: u64 = MOST_BYTES / LEAST_LINE as u64;

/// Proof that a record is a leaf of a tree. In JSON with digests as hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Proof {
    /// Name of the chain.
    pub chain: String,
    /// Number of the record; the index of its leaf is one less.
    pub seq: u64,
    /// Line of the record, as it is in the file.
    pub line: String,
    /// Number of leaves of the tree.
    pub size: u64,
    /// Root of the tree.
    #[serde(serialize_with = "hex")]
    pub root: Digest,
    /// Digests beside the path from the leaf to the root.
    #[serde(serialize_with = "all_hex")]
    pub path: Vec<Digest>,
}

impl Proof {
    /// Whether the root follows from the line and the path.
    pub fn holds(&self) -> bool {
        let Some(mut index) = self.seq.checked_sub(1).filter(|index| *index < self.size) else {
            return false;
        };
        let mut last = self.size - 1;
        let mut digest = leaf(self.line.as_bytes());
        for beside in &self.path {
            if last == 0 {
                return false;
            }
            if index % 2 == 1 || index == last {
                digest = node(beside, &digest);
                while index % 2 == 0 && index != 0 {
                    index /= 2;
                    last /= 2;
                }
            } else {
                digest = node(&digest, beside);
            }
            index /= 2;
            last /= 2;
        }
        last == 0 && digest == self.root
    }
}

/// Proves that record `seq` of `chain` is in its tree; `None` if the files do not have it. Linear, with 32
/// bytes of memory for each record.
///
/// # Errors
/// Returns `InvalidData` if the files are damaged or their beginning was deleted; any other error if they
/// cannot be read.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::verify::prove;
/// use hooks_audit::{Appender, Record, AppendSettings};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
/// let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
/// appender.append(&mut ["session_start", "stop"].map(|event| Record::new(event, Timestamp(1)).into()))?;
/// appender.close()?;
///
/// let mut proof = prove(&*disk, Path::new("/log"), "w0", 2)?.ok_or("no such record")?;
/// assert!(proof.holds() && proof.line.contains("stop"));
/// proof.line = proof.line.replace("stop", "other");
/// assert!(!proof.holds());
/// assert_eq!(prove(&*disk, Path::new("/log"), "w0", 3)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove(disk: &dyn LogDisk, folder: &Path, chain: &str, seq: u64) -> io::Result<Option<Proof>> {
    let mut found = None;
    let leaves = leaves(disk, folder, chain, |line| {
        if line.seq == seq {
            found = Some(String::from_utf8_lossy(line.text).into_owned());
        }
    })?;
    let index = usize::try_from(seq).ok().and_then(|seq| seq.checked_sub(1));
    let (Some(line), Some(index)) = (found, index.filter(|index| *index < leaves.len())) else {
        return Ok(None);
    };
    let size = leaves.len() as u64;
    let (root, path) = way(leaves, index);
    Ok(Some(Proof { chain: chain.to_owned(), seq, line, size, root, path }))
}

/// Returns the leaves of the tree of `chain`; calls `each` with every record.
pub(super) fn leaves(
    disk: &dyn LogDisk,
    folder: &Path,
    chain: &str,
    mut each: impl FnMut(&Line<'_>),
) -> io::Result<Vec<Digest>> {
    let mut leaves = Vec::new();
    let mut is_first = true;
    for file in segment::list(disk, folder)?.iter().filter(|file| file.chain == chain) {
        let limit = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
        let bytes = segment::read(disk, folder, file, 0, limit)?.unwrap_or_default();
        let mut scan = Scan::new(&bytes, None);
        while let Ok(Some(group)) = scan.next_group() {
            if let Mark::Header(header) = &group.mark {
                // Records behind this mark in the file before are void.
                leaves.truncate(usize::try_from(header.seq).unwrap_or(usize::MAX));
                let void = header.seq - leaves.len() as u64;
                if header.after == After::Damaged && !is_first && void <= MOST_VOID {
                    leaves.resize(leaves.len() + void as usize, VOID);
                }
                if leaves.len() as u64 != header.seq {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!("`{}` is not where its chain goes on", file.name()),
                    ));
                }
            }
            for line in &group.lines {
                leaves.push(line.leaf);
                each(line);
            }
        }
        is_first = false;
    }
    Ok(leaves)
}

/// Returns the root over `leaves`, and the digests beside the path from leaf `index` to it. Works level by
/// level, each half as long.
fn way(mut level: Vec<Digest>, mut index: usize) -> (Digest, Vec<Digest>) {
    let mut path = Vec::new();
    while level.len() > 1 {
        // A last node without a neighbour moves up unchanged.
        if let Some(beside) = level.get(index ^ 1) {
            path.push(*beside);
        }
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => node(left, right),
                alone => alone.first().copied().unwrap_or_default(),
            })
            .collect();
        index /= 2;
    }
    (level.first().copied().unwrap_or_default(), path)
}

pub(super) fn hex<S: Serializer>(digest: &Digest, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(digest)
}

pub(super) fn all_hex<S: Serializer>(digests: &[Digest], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(digests.iter().map(Digest::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Tree;

    #[test]
    fn every_leaf_of_every_tree_is_proven_and_no_other() {
        for size in 1..70_u64 {
            let line = |seq: u64| format!("record {seq}");
            let leaves: Vec<_> = (1..=size).map(|seq| leaf(line(seq).as_bytes())).collect();
            let mut tree = Tree::default();
            leaves.iter().for_each(|leaf| tree.push(*leaf));
            for seq in 1..=size {
                let (root, path) = way(leaves.clone(), seq as usize - 1);
                assert_eq!(root, tree.root());
                let proof = Proof { chain: "w0".into(), seq, line: line(seq), size, root, path };
                assert!(proof.holds(), "{seq} of {size}");
                assert!(!Proof { line: line(seq + 1), ..proof.clone() }.holds());
                assert!(!Proof { seq: seq + 1, ..proof.clone() }.holds() || size == 1);
                assert!(!Proof { seq: 0, ..proof }.holds());
            }
        }
    }
}
