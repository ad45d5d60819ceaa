//! Counters of the cache, and the interface for metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use hooks_core::HookContext;
use serde::{Deserialize, Serialize};

/// Answer of the cache to a call of a cached tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CacheAnswer {
    /// A stored result was reused.
    Hit,
    /// No result was stored, and the tool runs.
    Miss,
    /// A dependence of the stored result had changed, or the result had expired; the tool runs.
    Stale,
    /// The same call is running, and this one waits for its result.
    Joined,
    /// The dependence cannot be determined or is being changed; the tool runs, and its result is not stored.
    Passed,
}

impl CacheAnswer {
    /// Name in metrics and records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Stale => "stale",
            Self::Joined => "joined",
            Self::Passed => "passed",
        }
    }
}

/// Receives the answer to each call of a cached tool. It must not block.
pub trait CacheWatch: Send + Sync {
    /// Receives the answer to one call.
    fn answered(&self, context: &HookContext, tool: &str, answer: CacheAnswer);
}

impl<F: Fn(&HookContext, &str, CacheAnswer) + Send + Sync> CacheWatch for F {
    fn answered(&self, context: &HookContext, tool: &str, answer: CacheAnswer) {
        self(context, tool, answer);
    }
}

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
