//! Merkle tree of RFC 6962 over all records of a chain; only its right edge is stored.

use super::digest::Digest;

/// Roots of the perfect subtrees that the leaves so far fall into, the largest first: one for each set bit of
/// the number of leaves.
///
/// ```
/// use hooks_audit::chain::{Tree, leaf, node};
///
/// let [one, two, three] = [leaf(b"1"), leaf(b"2"), leaf(b"3")];
/// let mut tree = Tree::default();
/// [one, two, three].into_iter().for_each(|leaf| tree.push(leaf));
/// assert_eq!(tree.root(), node(&node(&one, &two), &three));
/// // One subtree of two leaves, and one of a single leaf.
/// assert_eq!((tree.size(), tree.range().len()), (3, 2));
/// assert_eq!(Tree::new(3, vec![one]), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    range: Vec<Digest>,
}

/// Leaf that stands for no record: its number may have been given to a record that cannot be read any more.
pub const VOID: Digest = Digest([0; 32]);

/// Digest of a leaf.
pub fn leaf(line: &[u8]) -> Digest {
    Digest::hash(&[&[0], line])
}

/// Digest of the node above two others.
pub fn node(left: &Digest, right: &Digest) -> Digest {
    Digest::hash(&[&[1], &left.0, &right.0])
}

impl Tree {
    /// A tree of `size` leaves with these subtrees; `None` if the number of subtrees does not match `size`.
    pub fn new(size: u64, range: Vec<Digest>) -> Option<Self> {
        (range.len() == size.count_ones() as usize).then_some(Self { size, range })
    }

    /// Number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Roots of the perfect subtrees, the largest first.
    pub fn range(&self) -> &[Digest] {
        &self.range
    }

    /// Adds a leaf. Costs two digests on average, including the leaf's own.
    pub fn push(&mut self, leaf: Digest) {
        let mut right = leaf;
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.range.pop() {
                right = node(&left, &right);
            }
        }
        self.range.push(right);
        self.size += 1;
    }

    /// Adds `count` leaves [`VOID`] in logarithmic time; `None` if the number of leaves overflows.
    pub fn push_void(&mut self, mut count: u64) -> Option<()> {
        self.size.checked_add(count)?;
        // Roots of perfect subtrees of void leaves, the smallest first.
        let mut voids = vec![VOID];
        while let Some(largest) = count.checked_ilog2() {
            let level = largest.min(self.size.trailing_zeros());
            while voids.len() <= level as usize {
                let below = voids.last()?;
                voids.push(node(below, below));
            }
            let mut right = *voids.get(level as usize)?;
            for _ in 0..(self.size >> level).trailing_ones() {
                right = node(&self.range.pop()?, &right);
            }
            self.range.push(right);
            self.size += 1 << level;
            count -= 1 << level;
        }
        Some(())
    }

    /// Root of the tree; for no leaves it is the digest of no bytes.
    pub fn root(&self) -> Digest {
        let mut subtrees = self.range.iter().rev();
        let Some(&last) = subtrees.next() else { return Digest::hash(&[]) };
        subtrees.fold(last, |right, left| node(left, &right))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Definition in section 2.1 of the RFC.
    fn root(leaves: &[Digest]) -> Digest {
        match leaves {
            [] => Digest::hash(&[]),
            [one] => *one,
            many => {
                let half = many.len().next_power_of_two() / 2;
                node(&root(&many[..half]), &root(&many[half..]))
            }
        }
    }

    #[test]
    fn the_root_is_that_of_the_rfc() {
        let leaves: Vec<_> = (0..130_u8).map(|n| leaf(&[n])).collect();
        let mut tree = Tree::default();
        for (size, leaf) in leaves.iter().enumerate() {
            assert_eq!(tree.root(), root(&leaves[..size]));
            assert_eq!(Tree::new(tree.size(), tree.range().to_vec()), Some(tree.clone()));
            tree.push(*leaf);
        }
        assert_eq!(tree.size(), 130);
        assert_eq!(Tree::new(3, vec![]), None);
    }

    #[test]
    fn void_leaves_are_added_as_if_one_by_one() {
        for size in 0..40_u8 {
            let mut one_by_one = Tree::default();
            (0..size).for_each(|n| one_by_one.push(leaf(&[n])));
            for count in 0..70 {
                let mut at_once = one_by_one.clone();
                (0..count).for_each(|_| one_by_one.push(VOID));
                at_once.push_void(count).unwrap();
                assert_eq!(at_once, one_by_one, "{size} {count}");
                one_by_one = at_once;
            }
        }
        let mut full = Tree::default();
        full.push_void(u64::MAX).unwrap();
        assert_eq!((full.range().len(), full.push_void(1)), (64, None));
    }
}
