//! Start times of model calls that are not answered yet.

use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hashbrown::{DefaultHashBuilder, HashTable};
use hooks_core::HookContext;
use hooks_core::time::Tick;

/// Limit on the calls measured at one time.
const MOST: usize = 4_096;

/// Time after which an unanswered call is given up.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Calls by a hash of session and call id. A collision only mixes up two durations.
#[derive(Default)]
pub(super) struct OpenCalls {
    hasher: DefaultHashBuilder,
    calls: Mutex<HashTable<(u64, Tick)>>,
}

impl OpenCalls {
    /// Notes the start of a call.
    pub(super) fn begin(&self, context: &HookContext) {
        let Some(hash) = self.hash(context) else { return };
        let now = context.environment.clock.tick();
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MOST {
            calls.retain(|(_, begun)| now.since(*begun) < LONGEST);
        }
        if calls.len() < MOST {
            calls.entry(hash, |(other, _)| *other == hash, |(hash, _)| *hash).insert((hash, now));
        }
    }

    /// Notes the end of a call; returns its duration, if the start is known.
    pub(super) fn end(&self, context: &HookContext) -> Option<Duration> {
        let hash = self.hash(context)?;
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let ((_, begun), _) = calls.find_entry(hash, |(other, _)| *other == hash).ok()?.remove();
        Some(context.environment.clock.tick().since(begun))
    }

    fn hash(&self, context: &HookContext) -> Option<u64> {
        Some(self.hasher.hash_one((&context.tenant, &context.session_id, context.call_id.as_ref()?)))
    }
}
