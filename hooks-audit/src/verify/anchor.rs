//! Anchors: the state of a chain at some time, stored where its writer cannot change it.

use std::fmt;

use super::{Condition, Finding};
use crate::chain::Digest;

/// The tree of a chain at some time; as text `<chain> <size> <root>`.
///
/// ```
/// use hooks_audit::chain::Digest;
/// use hooks_audit::verify::Anchor;
///
/// let anchor = Anchor { chain: "w0".to_owned(), size: 3, root: Digest([0xab; 32]) };
/// assert_eq!(anchor.to_string(), format!("w0 3 {}", "ab".repeat(32)));
/// assert_eq!(Anchor::parse(&anchor.to_string()), Some(anchor));
/// assert_eq!(Anchor::parse("w0 3"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Name of the chain.
    pub chain: String,
    /// Number of its records.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Digest,
}

impl Anchor {
    /// Parses the output of [`fmt::Display`].
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        let (chain, size, root) = (words.next()?, words.next()?, words.next()?);
        let anchor =
            Self { chain: chain.to_owned(), size: size.parse().ok()?, root: Digest::parse(root.as_bytes())? };
        words.next().is_none().then_some(anchor)
    }

    pub(super) fn finding(&self, what: &str) -> Finding {
        let what = format!("{what}: the anchor has {} records with the root {}", self.size, self.root);
        Finding { condition: Condition::Mismatched, file: self.chain.clone(), offset: 0, what }
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.chain, self.size, self.root)
    }
}
