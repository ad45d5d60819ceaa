//! Counters of the cache.

use std::sync::atomic::{AtomicU64, Ordering};

use hooks_core::cache::CacheAnswer;

/// Counters of a cache since its start, and the size of its stored results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheCounts {
    /// Results that were reused.
    pub hits: u64,
    /// Calls without a result to reuse.
    pub misses: u64,
    /// Calls whose stored result was outdated.
    pub stale: u64,
    /// Calls that waited for another call.
    pub joined: u64,
    /// Calls that could not be cached.
    pub passed: u64,
    /// Results removed to make room for others.
    pub evicted: u64,
    /// Results removed by a write.
    pub emptied: u64,
    /// Results stored now.
    pub results: usize,
    /// Bytes of the results stored now.
    pub bytes: u64,
}

/// Counters behind [`CacheCounts`].
#[derive(Debug, Default)]
pub(super) struct Counters {
    answers: [AtomicU64; 5],
    pub(super) evicted: AtomicU64,
    pub(super) emptied: AtomicU64,
}

impl Counters {
    pub(super) fn count(&self, answer: CacheAnswer) {
        let [hits, misses, stale, joined, passed] = &self.answers;
        let counter = match answer {
            CacheAnswer::Hit => hits,
            CacheAnswer::Miss => misses,
            CacheAnswer::Stale => stale,
            CacheAnswer::Joined => joined,
            CacheAnswer::Passed => passed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn counts(&self, results: usize, bytes: u64) -> CacheCounts {
        let [hits, misses, stale, joined, passed] =
            self.answers.each_ref().map(|counter| counter.load(Ordering::Relaxed));
        CacheCounts {
            hits,
            misses,
            stale,
            joined,
            passed,
            evicted: self.evicted.load(Ordering::Relaxed),
            emptied: self.emptied.load(Ordering::Relaxed),
            results,
            bytes,
        }
    }
}
