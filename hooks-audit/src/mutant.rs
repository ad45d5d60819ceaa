//! Ways to get the log wrong, switched on by tests that have to notice.

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Asks for a sync again that failed.
    RetriesSync,
    /// Goes on in a file in which a write failed.
    GoesOnBehindGarbage,
    /// Takes whatever is damaged for torn.
    CutsAnything,
    /// Believes every hash.
    ChecksNoHash,
    /// Believes every signature of a checkpoint.
    ChecksNoSignature,
    /// Makes one checkpoint after the other with the same key.
    KeepsOldKey,
    /// Does not look whether there are as many records as a checkpoint says.
    ComparesNoSize,
    /// Signs a chain that has grown, whatever it was at its last checkpoint.
    ComparesNoRoot,
}

/// Whether this mistake is switched on in this thread. Never outside of tests.
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

    /// Does `work` with this mistake.
    pub(crate) fn with<T>(mutant: Option<Mutant>, work: impl FnOnce() -> T) -> T {
        ACTIVE.set(mutant);
        let done = work();
        ACTIVE.set(None);
        done
    }
}
