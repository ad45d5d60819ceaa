//! All chains of one or many logs at some time, as one checkpoint: a tree over the sorted list of them.
//!
//! A leaf is the line of a chain, which the note contains as well: `<log> <chain> <records> <root>`.

use std::fmt;

use super::body::{Checkpoint, parse_number, parse_root, write_root};
use super::file::FLEET;
use super::key::is_name;
use crate::chain::{Digest, Tree, leaf};
use crate::segment::is_chain;

/// State of one chain at some time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Head {
    /// Name of its log.
    pub log: String,
    /// Name of the chain.
    pub chain: String,
    /// Number of its records.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Digest,
}

/// Chains at some time, sorted by log and chain, without duplicates.
///
/// ```
/// use hooks_audit::chain::Digest;
/// use hooks_audit::checkpoint::{Fleet, Head};
///
/// let head = |chain: &str, size| {
///     Head { log: "build7".to_owned(), chain: chain.to_owned(), size, root: Digest([1; 32]) }
/// };
/// let fleet = Fleet::new(vec![head("w1", 5), head("w0", 3)]).ok_or("a chain is there twice")?;
/// assert_eq!(fleet.head_of("build7", "w1").map(|head| head.size), Some(5));
/// let checkpoint = fleet.checkpoint("example.com/all");
/// assert_eq!((&*checkpoint.origin, checkpoint.size), ("example.com/all/fleet", 2));
/// assert_eq!(Fleet::parse(&checkpoint), Some(fleet));
/// assert_eq!(Fleet::new(vec![head("w0", 3), head("w0", 4)]), None);
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet(Vec<Head>);

impl Fleet {
    /// Collects these chains; `None` if one is there twice, or a name is not valid.
    pub fn new(mut heads: Vec<Head>) -> Option<Self> {
        heads.sort_unstable();
        Some(Self(heads)).filter(Self::is_right)
    }

    /// Parses a checkpoint of a fleet. `None` if it is of another kind, or its root does not match its lines.
    /// Linear.
    pub fn parse(checkpoint: &Checkpoint) -> Option<Self> {
        let (_, kind) = checkpoint.origin.rsplit_once('/')?;
        let heads = checkpoint.extensions.iter().map(|line| Head::parse(line)).collect::<Option<Vec<_>>>()?;
        let fleet = Self(heads);
        let says = (checkpoint.size, checkpoint.root);
        (kind == FLEET && fleet.is_right() && says == (fleet.0.len() as u64, fleet.root())).then_some(fleet)
    }

    /// The chains.
    pub fn heads(&self) -> &[Head] {
        &self.0
    }

    /// State of a chain.
    pub fn head_of(&self, log: &str, chain: &str) -> Option<&Head> {
        let place = |head: &Head| (&*head.log, &*head.chain).cmp(&(log, chain));
        self.0.binary_search_by(place).ok().and_then(|at| self.0.get(at))
    }

    /// Encodes the fleet as a checkpoint by the key or log called `name`.
    pub fn checkpoint(&self, name: &str) -> Checkpoint {
        Checkpoint {
            origin: format!("{name}/{FLEET}"),
            size: self.0.len() as u64,
            root: self.root(),
            extensions: self.0.iter().map(Head::to_string).collect(),
        }
    }

    /// Root over the lines.
    fn root(&self) -> Digest {
        let mut tree = Tree::default();
        self.0.iter().for_each(|head| tree.push(leaf(head.to_string().as_bytes())));
        tree.root()
    }

    fn is_right(&self) -> bool {
        let place = |head: &Head| (head.log.clone(), head.chain.clone());
        self.0.is_sorted_by(|a, b| place(a) < place(b))
            && self.0.iter().all(|head| is_name(&head.log) && is_chain(&head.chain))
    }
}

impl Head {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (log, chain) = (words.next()?.to_owned(), words.next()?.to_owned());
        let head = Self { log, chain, size: parse_number(words.next()?)?, root: parse_root(words.next()?)? };
        words.next().is_none().then_some(head)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {} {}", self.log, self.chain, self.size, write_root(&self.root))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn head(log: &str, chain: &str, size: u64) -> Head {
        Head { log: log.to_owned(), chain: chain.to_owned(), size, root: Digest([size as u8; 32]) }
    }

    #[test]
    fn a_fleet_is_read_as_it_is_written_and_in_one_order() {
        let heads = vec![head("b", "w0", 3), head("a", "w1", 2), head("a", "w0", 1)];
        let fleet = Fleet::new(heads).unwrap();
        let checkpoint = fleet.checkpoint("all");
        assert_eq!((checkpoint.size, &*checkpoint.origin), (3, "all/fleet"));
        assert_eq!(Fleet::parse(&checkpoint), Some(fleet));
        let mut changed = checkpoint.clone();
        changed.extensions.swap(0, 1);
        assert_eq!(Fleet::parse(&changed), None);
        changed = checkpoint.clone();
        changed.extensions.pop();
        assert_eq!(Fleet::parse(&changed), None);
        changed = checkpoint;
        changed.extensions[0] = head("a", "w0", 2).to_string();
        assert_eq!(Fleet::parse(&changed), None);
        assert_eq!(Fleet::new(vec![head("a", "w0", 1), head("a", "w0", 2)]), None);
        assert_eq!(Fleet::new(vec![head("a b", "w0", 1)]), None);
    }

    proptest! {
        #[test]
        fn there_is_one_spelling_of_a_line(line in "[a ]{0,3} ?w0 [+0-9]{1,3} [A-D]{42}[A-D]= ?") {
            if let Some(head) = Head::parse(&line) {
                prop_assert_eq!(head.to_string(), line);
            }
        }
    }
}
