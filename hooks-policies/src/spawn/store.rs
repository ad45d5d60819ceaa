//! Where children are counted and known: the store that was given, or one in memory.

use std::fmt;
use std::sync::{Arc, OnceLock};

use hooks_core::HookContext;
use hooks_core::state::{Memory, StateStore};

/// Where children are counted and known.
#[derive(Clone)]
pub(super) enum Store {
    Given(Arc<dyn StateStore>),
    /// Made at the first child, whose clock it takes.
    Own(Arc<OnceLock<Arc<Memory>>>),
}

impl Store {
    pub(super) fn of(&self, context: &HookContext) -> Arc<dyn StateStore> {
        match self {
            Self::Given(store) => Arc::clone(store),
            Self::Own(memory) => {
                let clock = &context.environment.clock;
                let memory = memory.get_or_init(|| Arc::new(Memory::new(Arc::clone(clock))));
                Arc::clone(memory) as Arc<dyn StateStore>
            }
        }
    }
}

impl Default for Store {
    fn default() -> Self {
        Self::Own(Arc::default())
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Given(_) => "Store::Given",
            Self::Own(_) => "Store::Own",
        })
    }
}
