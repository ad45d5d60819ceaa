//! Failures that a stack reports to hooks and handles itself.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::HookContext;
use hooks_core::event::ErrorOccurred;

/// The failures that a stack is reporting to hooks. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Told(Arc<Mutex<HashMap<Failure, usize>>>);

/// Identity of a failure, by the fields that a hook sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Failure {
    session: String,
    agent: String,
    model: Option<String>,
    text: String,
    attempt: u32,
}

/// While this is held, the stack handles the failure.
#[derive(Debug)]
pub(crate) struct ToldOf {
    told: Told,
    failure: Failure,
}

impl Told {
    /// Registers `event` before hooks receive it.
    pub(super) fn begin(&self, context: &HookContext, event: &ErrorOccurred) -> ToldOf {
        let failure = Failure::new(context, event);
        *self.lock().entry(failure.clone()).or_default() += 1;
        ToldOf { told: self.clone(), failure }
    }

    /// Whether a stack reports this event.
    pub(super) fn contains(&self, context: &HookContext, event: &ErrorOccurred) -> bool {
        self.lock().contains_key(&Failure::new(context, event))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Failure, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failure {
    fn new(context: &HookContext, event: &ErrorOccurred) -> Self {
        Self {
            session: context.session_id.clone(),
            agent: context.agent_name.clone(),
            model: event.current_model.clone(),
            text: event.error.clone(),
            attempt: event.attempt,
        }
    }
}

impl Drop for ToldOf {
    fn drop(&mut self) {
        let mut told = self.told.lock();
        if let Some(times) = told.get_mut(&self.failure) {
            *times = times.saturating_sub(1);
            if *times == 0 {
                told.remove(&self.failure);
            }
        }
    }
}
