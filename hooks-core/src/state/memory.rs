//! The engine for one process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::machine::State;
use super::operation::{Answer, Op};
use super::{StateStore, StoreError};
use crate::future::HookFuture;
use crate::time::Clock;

/// State in memory, behind one lock that is held for one step. It forgets everything with its process.
pub struct Memory {
    state: Mutex<State>,
    clock: Arc<dyn Clock>,
}

impl Memory {
    /// An empty store whose time is that of `clock`.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { state: Mutex::default(), clock }
    }
}

impl StateStore for Memory {
    fn apply(&self, op: Op) -> HookFuture<'static, Result<Answer, StoreError>> {
        let now = self.clock.now();
        // A step does not panic; where one did, the state is what it was between two writes.
        let answer = self.state.lock().unwrap_or_else(PoisonError::into_inner).step(&op, now);
        HookFuture::now(Ok(answer))
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memory")
    }
}
