//! Content of a checkpoint: the log, the number of records, and the root over them.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::key::is_name;
use crate::chain::Digest;
use crate::segment::is_chain;

/// Text of a note about a tree at some time (C2SP tlog-checkpoint).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Subject of the checkpoint: the name of the log, `/`, and the chain.
    pub origin: String,
    /// Number of leaves in the tree.
    pub size: u64,
    /// Root of the tree.
    pub root: Digest,
    /// Further lines of the text.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// Checkpoint of `chain` in the log `name`.
    pub fn of_chain(name: &str, chain: &str, size: u64, root: Digest) -> Self {
        Self { origin: format!("{name}/{chain}"), size, root, extensions: Vec::new() }
    }

    /// Parses the output of [`fmt::Display`]; `None` if the text has another form. Linear.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix('\n')?.split('\n');
        let (origin, size, root) = (lines.next()?, parse_number(lines.next()?)?, parse_root(lines.next()?)?);
        let extensions: Vec<_> = lines.map(str::to_owned).collect();
        let fits = !origin.is_empty() && extensions.iter().all(|line| !line.is_empty());
        fits.then(|| Self { origin: origin.to_owned(), size, root, extensions })
    }

    /// The name of the log and the chain, if the checkpoint covers one chain.
    pub fn chain(&self) -> Option<(&str, &str)> {
        self.origin.rsplit_once('/').filter(|(name, chain)| is_name(name) && is_chain(chain))
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.size, write_root(&self.root))?;
        self.extensions.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// Parses a number without leading zeros.
pub(super) fn parse_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// Parses a base64 digest.
pub(super) fn parse_root(text: &str) -> Option<Digest> {
    STANDARD.decode(text).ok()?.try_into().ok().map(Digest)
}

/// Encodes a digest as base64, as [`parse_root`] reads it.
pub(super) fn write_root(root: &Digest) -> String {
    STANDARD.encode(root.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Note;
    use super::*;

    #[test]
    fn a_published_checkpoint_is_read_and_written() {
        let note = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";
        let note = Note::parse(note).unwrap();
        let checkpoint = Checkpoint::parse(&note.text).unwrap();
        assert_eq!(
            (checkpoint.size, checkpoint.chain()),
            (20_852_163, Some(("example.com", "behind-the-sofa")))
        );
        assert_eq!(checkpoint.to_string(), note.text);
    }

    proptest! {
        #[test]
        fn a_checkpoint_is_read_as_it_is_written(
            origin in "[ -~]{1,30}",
            size: u64,
            root: [u8; 32],
            extensions in prop::collection::vec("[ -~]{1,30}", 0..4),
        ) {
            let checkpoint = Checkpoint { origin, size, root: Digest(root), extensions };
            prop_assert_eq!(Checkpoint::parse(&checkpoint.to_string()), Some(checkpoint));
        }

        #[test]
        fn there_is_one_spelling(text in "[a/]{0,3}\n[+0-9]{1,3}\n[A-D]{42}[A-D]=\n?(b?\n){0,2}") {
            if let Some(checkpoint) = Checkpoint::parse(&text) {
                prop_assert_eq!(checkpoint.to_string(), text);
            }
        }
    }
}
