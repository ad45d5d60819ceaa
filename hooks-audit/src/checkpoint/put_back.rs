//! What is not vouched for: a chain that is not what its last checkpoint says it was.

use std::io;

use super::fleet::{Fleet, Head};
use crate::chain::Digest;

/// Why no checkpoint is written: what the last one says is not so any more. In an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "chain `{chain}` was put back or changed: it has {size} records, and its last checkpoint in `{file}` says {says} or \
     others; find out why, then move that file away"
)]
#[non_exhaustive]
pub struct PutBack {
    /// The chain.
    pub chain: String,
    /// How many records it has now.
    pub size: u64,
    /// How many it had at its last checkpoint.
    pub says: u64,
    /// The file in which that stands.
    pub file: String,
}

impl PutBack {
    /// What `error` is, if it is such a one.
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<PutBack> for io::Error {
    fn from(error: PutBack) -> Self {
        Self::other(error)
    }
}

/// The first of `heads`, which chains had once, that `fleet` contradicts: a chain that is missing, shorter, or another
/// one. `was` says the root over as many records of a chain as stand in a head, as it is now; `None` where they are gone.
///
/// # Errors
/// Those of `was`.
pub(super) fn contradicted<'a>(
    heads: &'a [Head],
    fleet: &Fleet,
    mut was: impl FnMut(&Head) -> io::Result<Option<Digest>>,
) -> io::Result<Option<(&'a Head, u64)>> {
    for old in heads {
        let now = fleet.of(&old.log, &old.chain);
        let size = now.map_or(0, |now| now.size);
        let root = match now {
            Some(now) if now.size == old.size => Some(now.root),
            Some(now) if now.size > old.size => was(old)?,
            _ => return Ok(Some((old, size))),
        };
        if root.is_some_and(|root| root != old.root) {
            return Ok(Some((old, size)));
        }
    }
    Ok(None)
}
