//! Proofs for holders of two roots of a chain, without its records, that the newer tree begins with the older
//! one (RFC 6962, section 2.1.2): records were only added.

use std::io;
use std::path::Path;

use hooks_core::fs::LogDisk;
use serde::Serialize;

use super::proof::{all_hex, hex, leaves};
use crate::chain::{Digest, Tree, node};

/// Proof that a tree begins with another one. In JSON with digests as hex.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Consistency {
    /// Name of the chain.
    pub chain: String,
    /// Number of leaves of the older tree; not 0.
    pub old_size: u64,
    /// Root of the older tree.
    #[serde(serialize_with = "hex")]
    pub old_root: Digest,
    /// Number of leaves of the newer tree.
    pub new_size: u64,
    /// Root of the newer tree.
    #[serde(serialize_with = "hex")]
    pub new_root: Digest,
    /// Digests from which both roots are computed.
    #[serde(serialize_with = "all_hex")]
    pub path: Vec<Digest>,
}

impl Consistency {
    /// Whether both roots follow from the path.
    pub fn holds(&self) -> bool {
        let Self { old_size, old_root, new_size, new_root, path, .. } = self;
        if old_size >= new_size || *old_size == 0 {
            return old_size == new_size && *old_size > 0 && path.is_empty() && old_root == new_root;
        }
        // A perfect subtree is its own path element.
        let own = old_size.is_power_of_two().then_some(old_root);
        let mut path = own.into_iter().chain(path);
        let (mut index, mut last) = (old_size - 1, new_size - 1);
        let whole = index.trailing_ones();
        (index, last) = (index >> whole, last >> whole);
        let Some(&first) = path.next() else { return false };
        let (mut old, mut new) = (first, first);
        for beside in path {
            if last == 0 {
                return false;
            }
            if index % 2 == 1 || index == last {
                old = node(beside, &old);
                new = node(beside, &new);
                while index % 2 == 0 && index != 0 {
                    (index, last) = (index / 2, last / 2);
                }
            } else {
                new = node(&new, beside);
            }
            (index, last) = (index / 2, last / 2);
        }
        last == 0 && old == *old_root && new == *new_root
    }
}

/// Proves that the tree of `chain` over `new` records begins with the one over `old`; `None` if the files
/// have fewer records, or `old` is 0 or more than `new`. Linear, with 32 bytes of memory for each record.
///
/// # Errors
/// Returns `InvalidData` if the files are damaged or their beginning was deleted; any other error if they
/// cannot be read.
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
/// use hooks_audit::verify::prove_consistency;
/// use hooks_audit::{Appender, Record, AppendSettings};
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::time::{StoppedClock, Timestamp};
///
/// let (disk, clock) = (Arc::new(FakeDisk::default()), Arc::new(StoppedClock(Timestamp(1))));
/// let (mut appender, _) = Appender::open(disk.clone(), "/log", AppendSettings::new([7; 32]), clock)?;
/// let mut roots = Vec::new();
/// for event in ["session_start", "turn_start", "stop"] {
///     appender.append(&mut [Record::new(event, Timestamp(1)).into()])?;
///     roots.push(appender.chain().tree.root());
/// }
/// appender.close()?;
/// // The holder of the roots over one record and over three checks that records were only added.
/// let mut proof = prove_consistency(&*disk, Path::new("/log"), "w0", 1, 3)?.ok_or("there are three")?;
/// assert_eq!((proof.old_root, proof.new_root), (roots[0], roots[2]));
/// assert!(proof.holds());
/// proof.old_root = roots[1];
/// assert!(!proof.holds());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove_consistency(
    disk: &dyn LogDisk,
    folder: &Path,
    chain: &str,
    old: u64,
    new: u64,
) -> io::Result<Option<Consistency>> {
    let leaves = leaves(disk, folder, chain, |_| {})?;
    let size = |size: u64| usize::try_from(size).ok().and_then(|size| leaves.get(..size));
    let (Some(older), Some(newer)) = (size(old), size(new)) else { return Ok(None) };
    if old == 0 || old > new {
        return Ok(None);
    }
    Ok(Some(Consistency {
        chain: chain.to_owned(),
        old_size: old,
        old_root: root(older),
        new_size: new,
        new_root: root(newer),
        path: path(newer, older.len()),
    }))
}

/// Digests from which the roots over the first `old` of `leaves`, and over all, are computed.
fn path(mut leaves: &[Digest], mut old: usize) -> Vec<Digest> {
    let mut path = Vec::new();
    let mut is_known = true;
    while old < leaves.len() {
        let half = leaves.len().next_power_of_two() / 2;
        let Some((left, right)) = leaves.split_at_checked(half) else { break };
        if old <= half {
            path.push(root(right));
            leaves = left;
        } else {
            path.push(root(left));
            (leaves, old, is_known) = (right, old - half, false);
        }
    }
    if !is_known {
        path.push(root(leaves));
    }
    path.reverse();
    path
}

fn root(leaves: &[Digest]) -> Digest {
    let mut tree = Tree::default();
    leaves.iter().for_each(|leaf| tree.push(*leaf));
    tree.root()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::leaf;

    #[test]
    fn every_tree_begins_with_every_smaller_one_and_with_no_other() {
        let leaves: Vec<_> = (0..70_u8).map(|n| leaf(&[n])).collect();
        for new in 1..=leaves.len() {
            for old in 1..=new {
                let proof = Consistency {
                    chain: "w0".into(),
                    old_size: old as u64,
                    old_root: root(&leaves[..old]),
                    new_size: new as u64,
                    new_root: root(&leaves[..new]),
                    path: path(&leaves[..new], old),
                };
                assert!(proof.holds(), "{old} of {new}");
                let other = Digest::hash(&[b"another"]);
                assert!(!Consistency { old_root: other, ..proof.clone() }.holds());
                assert!(!Consistency { new_root: other, ..proof.clone() }.holds());
                assert!(!Consistency { old_size: 0, ..proof.clone() }.holds());
                for at in 0..proof.path.len() {
                    let mut changed = proof.clone();
                    changed.path[at] = other;
                    assert!(!changed.holds(), "{old} of {new}, {at}");
                    changed.path.remove(at);
                    assert!(!changed.holds(), "{old} of {new} without {at}");
                }
                let mut longer = proof;
                longer.path.push(other);
                assert!(!longer.holds(), "{old} of {new}");
            }
        }
    }
}
