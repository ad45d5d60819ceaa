//! State of the sessions of this process, separate for each tenant and limited in number.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::HookContext;

use crate::compaction::Ledger;
use crate::prompt::Told;
use crate::session_end::SessionTally;

/// State that the layers of this crate keep for the sessions of this process. Clones share it. Hand a clone
/// to the layers of the next configuration, so that a reload forgets nothing.
///
/// ```
/// use std::sync::Arc;
/// use hooks_context::SessionMemory;
/// use hooks_context::compaction::{Compacting, CompactionSettings};
/// use hooks_core::event::{PromptKind, UserPromptSubmitted};
/// use hooks_core::testing::VirtualTime;
/// use hooks_core::{HookContext, Hooks};
///
/// let (memory, time) = (SessionMemory::default(), VirtualTime::default());
/// let configured = || {
///     Compacting::new(CompactionSettings::default(), Arc::new(time.clone())).remembering_in(&memory)
/// };
/// let hooks = configured().add_to(Hooks::builder()).build();
/// # time.block_on(async {
/// let context = HookContext::new("session-1", "backend");
/// let message = UserPromptSubmitted::new("Fix the parser", PromptKind::Initial);
/// hooks.on(context.clone()).user_prompt_submitted(message).await;
/// let reloaded = configured();
/// assert_eq!(reloaded.survivors(&context).request, "Fix the parser");
/// # }).expect("nothing waits");
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionMemory {
    /// Texts that compactions have to keep.
    pub(crate) ledger: Arc<Ledger>,
    /// Counts until the end of a session.
    pub(crate) tally: Arc<SessionTally>,
    /// Digest of the conventions text that each session got last.
    pub(crate) told: Arc<Told>,
}

impl SessionMemory {
    /// Counts of running sessions.
    pub const fn tally(&self) -> &Arc<SessionTally> {
        &self.tally
    }
}

/// One `T` for each session, for a limited number of sessions. Beyond the limit, the session that was not
/// touched for the longest time is forgotten. A session belongs to one tenant: the same id of another tenant
/// is another session.
///
/// An access takes logarithmic time in the number of sessions, and copies the tenant and the session id.
pub(crate) struct Sessions<T> {
    most: usize,
    known: Mutex<Known<T>>,
}

struct Known<T> {
    /// Sessions of each tenant, and of events without a tenant, each with the number of its last access.
    tenants: HashMap<Option<String>, HashMap<String, (u64, T)>>,
    /// Sessions by the number of their last access.
    order: BTreeMap<u64, (Option<String>, String)>,
    now: u64,
}

impl<T: Default> Sessions<T> {
    /// Keeps at most `most` sessions.
    pub(crate) fn most(most: usize) -> Self {
        let known = Known { tenants: HashMap::new(), order: BTreeMap::new(), now: 0 };
        Self { most: most.max(1), known: Mutex::new(known) }
    }

    /// Reads the state of the session of `context`; returns `None` if it is unknown.
    pub(crate) fn look<R>(&self, context: &HookContext, act: impl FnOnce(&T) -> R) -> Option<R> {
        let known = self.lock();
        known.tenants.get(&context.tenant)?.get(&context.session_id).map(|(_, value)| act(value))
    }

    /// Changes the state of the session of `context`; a new session starts with the default.
    pub(crate) fn change<R>(&self, context: &HookContext, act: impl FnOnce(&mut T) -> R) -> R {
        let mut known = self.lock();
        let done = act(known.touch(context));
        let gone = (known.order.len() > self.most).then(|| known.oldest()).flatten();
        drop(known);
        // A conversation may be long, so it is dropped without the lock.
        drop(gone);
        done
    }

    /// Removes the session of `context` and returns its state.
    pub(crate) fn take(&self, context: &HookContext) -> Option<T> {
        self.lock().remove(&context.tenant, &context.session_id)
    }

    fn lock(&self) -> MutexGuard<'_, Known<T>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default> Known<T> {
    fn touch(&mut self, context: &HookContext) -> &mut T {
        self.now = self.now.saturating_add(1);
        let now = self.now;
        let (tenant, session) = (&context.tenant, &context.session_id);
        let before = self.tenants.get(tenant).and_then(|known| known.get(session)).map(|(at, _)| *at);
        let who = before.and_then(|before| self.order.remove(&before));
        self.order.insert(now, who.unwrap_or_else(|| (tenant.clone(), session.clone())));
        let sessions = self.tenants.entry(tenant.clone()).or_default();
        let (at, value) = sessions.entry(session.clone()).or_default();
        *at = now;
        value
    }

    fn oldest(&mut self) -> Option<T> {
        let (_, (tenant, session)) = self.order.pop_first()?;
        self.remove(&tenant, &session)
    }

    fn remove(&mut self, tenant: &Option<String>, session: &str) -> Option<T> {
        let sessions = self.tenants.get_mut(tenant)?;
        let (at, value) = sessions.remove(session)?;
        if sessions.is_empty() {
            self.tenants.remove(tenant);
        }
        self.order.remove(&at);
        Some(value)
    }
}

impl<T> fmt::Debug for Sessions<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("most", &self.most).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context_in(tenant: Option<&str>, session: &str) -> HookContext {
        let context = HookContext::new(session, "a");
        tenant.map_or(context.clone(), |tenant| context.for_tenant(tenant))
    }

    #[test]
    fn the_same_id_of_another_tenant_is_another_session() {
        let sessions = Sessions::<u32>::most(8);
        for (tenant, value) in [(None, 1), (Some(""), 2), (Some("a"), 3), (Some("b"), 4)] {
            sessions.change(&context_in(tenant, "s"), |known| *known += value);
        }
        assert_eq!(sessions.look(&context_in(Some("a"), "s"), |known| *known), Some(3));
        assert_eq!(sessions.take(&context_in(Some("b"), "s")), Some(4));
        assert_eq!(sessions.take(&context_in(Some("b"), "s")), None);
        assert_eq!(
            (sessions.take(&context_in(None, "s")), sessions.take(&context_in(Some(""), "s"))),
            (Some(1), Some(2))
        );
        assert_eq!(sessions.look(&context_in(Some("c"), "s"), |known| *known), None);
    }

    #[test]
    fn who_was_silent_for_longest_makes_room() {
        let sessions = Sessions::<u32>::most(3);
        for session in ["a", "b", "c", "a", "d", "e"] {
            sessions.change(&context_in(None, session), |known| *known += 1);
        }
        let left = |session| sessions.look(&context_in(None, session), |known| *known);
        assert_eq!(["a", "b", "c", "d", "e"].map(left), [Some(2), None, None, Some(1), Some(1)]);
        let known = sessions.lock();
        assert_eq!((known.order.len(), known.tenants.values().map(HashMap::len).sum::<usize>()), (3, 3));
    }
}
