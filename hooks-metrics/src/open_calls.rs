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

#[cfg(test)]
mod tests {
    use hooks_core::testing::{FakeFileSystem, world};

    use super::*;

    #[test]
    fn calls_that_are_never_answered_make_room_after_an_hour() {
        let (environment, clock, _) = world(FakeFileSystem::default());
        let call = |number: usize| {
            let mut context =
                HookContext::new(format!("s{number}"), "a").with_environment(environment.clone());
            context.call_id = Some("1".to_owned());
            context
        };
        let open = OpenCalls::default();
        (0..2 * MOST).for_each(|number| open.begin(&call(number)));
        assert_eq!(open.calls.lock().unwrap().len(), MOST);
        clock.advance(LONGEST);
        open.begin(&call(9 * MOST));
        assert_eq!(open.calls.lock().unwrap().len(), 1);
        assert_eq!(open.end(&call(9 * MOST)), Some(Duration::ZERO));
    }
}
