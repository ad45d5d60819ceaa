//! Random numbers from the system.

use std::hash::{BuildHasher, RandomState};

use hooks_core::time::Random;

/// Numbers from the random keys that the standard library takes from the operating system for its hash maps.
/// They are good for identifiers and jitter, not for secrets, and need no dependency.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    fn next_u64(&self) -> u64 {
        RandomState::new().hash_one(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_do_not_repeat() {
        let numbers: HashSet<_> = (0..10_000).map(|_| SystemRandom.next_u64()).collect();
        assert_eq!(numbers.len(), 10_000);
    }
}
