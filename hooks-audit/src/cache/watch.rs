//! What the cache did, for those who count.

use std::sync::atomic::{AtomicU64, Ordering};

use hooks_core::HookContext;
use serde::{Deserialize, Serialize};

/// What became of a call of a tool that is cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CacheAnswer {
    /// A kept result was reused.
    Hit,
    /// There was none, and the tool runs.
    Miss,
    /// What it depends on had changed, or its time was up, and the tool runs.
    Stale,
    /// The same call is running, and its result is waited for.
    Joined,
    /// What it depends on cannot be said, or is being changed: the tool runs, and its result is not kept.
    Passed,
}

impl CacheAnswer {
    /// As metrics and records have it.
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

/// Is told what became of each call of a tool that is cached. It must not block.
pub trait CacheWatch: Send + Sync {
    /// Is told of one call.
    fn answered(&self, context: &HookContext, tool: &str, answer: CacheAnswer);
}

impl<F: Fn(&HookContext, &str, CacheAnswer) + Send + Sync> CacheWatch for F {
    fn answered(&self, context: &HookContext, tool: &str, answer: CacheAnswer) {
        self(context, tool, answer);
    }
}

/// What the cache did so far, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheCounts {
    /// Results that were reused.
    pub hits: u64,
    /// Calls without a result to reuse.
    pub misses: u64,
    /// Calls whose result had become old.
    pub stale: u64,
    /// Calls that waited for another one.
    pub joined: u64,
    /// Calls that could not be cached.
    pub passed: u64,
    /// Results that had to go for others.
    pub evicted: u64,
    /// Results that a write emptied.
    pub emptied: u64,
    /// Results that are kept now.
    pub results: usize,
    /// The bytes they take.
    pub bytes: u64,
}

/// The counters behind [`CacheCounts`].
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
