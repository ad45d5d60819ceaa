//! Error for a chain that contradicts its last checkpoint; no new checkpoint is made of it.

use std::io;

use super::fleet::{Fleet, Head};
use crate::chain::Digest;

/// Reason why no checkpoint is written: the chain contradicts its last one. Wrapped in an [`io::Error`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "chain `{chain}` was put back or changed: it has {size} records, and its last checkpoint in `{file}` has {says}, or other records; find out why, then move that file away"
)]
#[non_exhaustive]
pub struct PutBack {
    /// Name of the chain.
    pub chain: String,
    /// Number of its records now.
    pub size: u64,
    /// Number of its records at its last checkpoint.
    pub says: u64,
    /// Path of the file with that checkpoint.
    pub file: String,
}

impl PutBack {
    /// The `PutBack` inside of `error`, if there is one.
    pub fn downcast(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<PutBack> for io::Error {
    fn from(error: PutBack) -> Self {
        Self::other(error)
    }
}

/// Returns the first of `heads`, which are older states of chains, that `fleet` contradicts: the chain is
/// missing, shorter, or has other records. `was` returns the present root over the first records of a chain,
/// as many as a head has; `None` if these records were deleted.
///
/// # Errors
/// Returns the errors of `was`.
pub(super) fn contradicted<'a>(
    heads: &'a [Head],
    fleet: &Fleet,
    mut was: impl FnMut(&Head) -> io::Result<Option<Digest>>,
) -> io::Result<Option<(&'a Head, u64)>> {
    for old in heads {
        let now = fleet.head_of(&old.log, &old.chain);
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
