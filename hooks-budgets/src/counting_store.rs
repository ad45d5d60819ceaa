//! Store that counts places: the given one, or one in memory.

use std::fmt;
use std::sync::{Arc, OnceLock};

use hooks_core::event::SessionEnd;
use hooks_core::state::{Memory, Scope, StateStore};
use hooks_core::{HookContext, HookRequest, Observer};

/// Store that counts places.
#[derive(Clone)]
pub(crate) enum CountingStore {
    Given(Arc<dyn StateStore>),
    /// Created at the first call, with the clock of that call.
    Own(Arc<OnceLock<Arc<Memory>>>),
}

impl CountingStore {
    pub(crate) fn new(given: Option<Arc<dyn StateStore>>) -> Self {
        given.map_or_else(Self::default, Self::Given)
    }

    pub(crate) fn for_context(&self, context: &HookContext) -> Arc<dyn StateStore> {
        match self {
            Self::Given(store) => Arc::clone(store),
            Self::Own(memory) => {
                let clock = &context.environment.clock;
                Arc::clone(memory.get_or_init(|| Arc::new(Memory::new(Arc::clone(clock)))))
                    as Arc<dyn StateStore>
            }
        }
    }
}

/// Reports ended sessions to the store, so that a store with bounded memory forgets them first.
impl Observer<SessionEnd> for CountingStore {
    fn name(&self) -> &'static str {
        "state"
    }

    fn observe(&self, request: &HookRequest<SessionEnd>, _outcome: &()) {
        let context = request.context();
        self.for_context(context).session_ended(context.tenant.as_deref(), &context.session_id);
    }
}

impl Default for CountingStore {
    fn default() -> Self {
        Self::Own(Arc::default())
    }
}

impl fmt::Debug for CountingStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given(_) => "CountingStore::Given",
            Self::Own(_) => "CountingStore::Own",
        })
    }
}

/// Returns the same scopes without limits, to count events that happened already.
pub(crate) fn beyond_limits(scopes: &[Scope]) -> Arc<[Scope]> {
    scopes.iter().map(|scope| Scope { limit: u64::MAX, ..scope.clone() }).collect()
}
