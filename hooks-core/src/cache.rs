//! Answers of a result cache to calls, for the log and the metrics beside it.
//!
//! The cache, the audit log and the metrics are crates that do not depend on each other. They exchange these
//! types.

use serde::{Deserialize, Serialize};

use crate::context::HookContext;
use crate::event::PostToolUse;

/// Answer of a result cache to a call of a cached tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// Answers of a result cache to recent calls.
pub trait CacheHistory: Send + Sync {
    /// Removes and returns the answer to the call of `event`. `None` if its tool is not cached, or if the
    /// answer was already taken.
    fn take_answer(&self, context: &HookContext, event: &PostToolUse) -> Option<CacheAnswer>;
}
