//! A store in memory that can be emptied while rules use it.

use std::sync::{Arc, Mutex, PoisonError};

use hooks::HookFuture;
use hooks::state::{Memory, Op, StateStore, StepResult, StoreError};
use hooks::time::Clock;

pub(super) struct Emptied {
    clock: Arc<dyn Clock>,
    memory: Mutex<Arc<Memory>>,
}

impl Emptied {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        let memory = Mutex::new(Arc::new(Memory::new(Arc::clone(&clock))));
        Self { clock, memory }
    }

    pub(super) fn forget(&self) {
        let empty = Arc::new(Memory::new(Arc::clone(&self.clock)));
        *self.memory.lock().unwrap_or_else(PoisonError::into_inner) = empty;
    }

    fn now(&self) -> Arc<Memory> {
        Arc::clone(&self.memory.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StateStore for Emptied {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<StepResult, StoreError>> {
        self.now().apply(op)
    }

    fn together(&self, ops: &[Op]) -> Option<HookFuture<'static, Result<Vec<StepResult>, StoreError>>> {
        self.now().together(ops)
    }

    fn is_untouched(&self) -> bool {
        self.now().is_untouched()
    }

    fn session_ended(&self, tenant: Option<&str>, session: &str) {
        self.now().session_ended(tenant, session);
    }
}
