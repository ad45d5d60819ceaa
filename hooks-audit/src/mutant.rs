//! Deliberate mistakes, enabled by tests that have to notice them.

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Repeats a failed sync on the same file.
    RetriesSync,
    /// Continues in a file in which a write failed.
    GoesOnBehindGarbage,
    /// Treats any damage as an interrupted write.
    CutsAnything,
    /// Accepts every hash.
    ChecksNoHash,
    /// Accepts every signature of a checkpoint.
    ChecksNoSignature,
    /// Makes all checkpoints with the same key.
    KeepsOldKey,
    /// Ignores missing records that a checkpoint covers.
    ComparesNoSize,
    /// Signs a chain that has grown without comparing it with its last checkpoint.
    ComparesNoRoot,
}

/// Whether this mistake is enabled in this thread. Always false outside of tests.
#[cfg(not(test))]
pub(crate) const fn is(_mutant: Mutant) -> bool {
    false
}

#[cfg(test)]
pub(crate) use self::switch::{is, with};

#[cfg(test)]
mod switch {
    use std::cell::Cell;

    use super::Mutant;

    thread_local! {
        static ACTIVE: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    pub(crate) fn is(mutant: Mutant) -> bool {
        ACTIVE.get() == Some(mutant)
    }

    /// Runs `work` with this mistake.
    pub(crate) fn with<T>(mutant: Option<Mutant>, work: impl FnOnce() -> T) -> T {
        ACTIVE.set(mutant);
        let done = work();
        ACTIVE.set(None);
        done
    }
}
