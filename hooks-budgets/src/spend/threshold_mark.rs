//! Marks for a threshold of a counter in its current window: warned, or approved by the user.

use std::time::Duration;

use hooks_core::HookContext;
use hooks_core::state::{Key, Op, StateStore, StepResult, StoreError, Window};
use hooks_core::time::Timestamp;

use super::advice::bad;
use super::limit::{Counter, FOLDER};
use crate::place::fresh_id;

/// Mark that is set once for each counter, window and threshold. Each mark is a value of its own that expires
/// with its window, so reading one costs the same however many there are, and nothing grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThresholdMark<'a> {
    what: &'static str,
    counter: &'a Counter,
    percent: u64,
}

impl<'a> ThresholdMark<'a> {
    /// Mark for a warning that the counter reached the threshold.
    pub(super) const fn warned(counter: &'a Counter, percent: u64) -> Self {
        Self { what: "warned", counter, percent }
    }

    /// Mark for the user's approval to spend beyond the threshold.
    pub(super) const fn approved(counter: &'a Counter, percent: u64) -> Self {
        Self { what: "approved", counter, percent }
    }

    /// Returns whether the mark is set.
    pub(super) async fn is_said(
        &self,
        store: &dyn StateStore,
        context: &HookContext,
    ) -> Result<bool, StoreError> {
        match store.apply(Op::Get { key: self.key(context) }).await? {
            StepResult::Value(value) => Ok(value.is_some()),
            other => Err(bad(&other)),
        }
    }

    /// Sets the mark; returns true if it was not set before.
    pub(super) async fn say(
        &self,
        store: &dyn StateStore,
        context: &HookContext,
    ) -> Result<bool, StoreError> {
        if self.is_said(store, context).await? {
            return Ok(false);
        }
        let now = match store.apply(Op::Now).await? {
            StepResult::Now(now) => now,
            other => return Err(bad(&other)),
        };
        let (id, ttl) = (fresh_id(FOLDER, context), left_of(self.counter.scope.window, now));
        let value = context.agent_name.as_str().into();
        let op = Op::CompareAndSet { id, key: self.key(context), revision: 0, value, ttl };
        match store.apply(op).await? {
            StepResult::Written(_) => Ok(true),
            StepResult::Conflict(_) => Ok(false),
            other => Err(bad(&other)),
        }
    }

    /// The key contains the limit: after the limit is raised, there is no mark for the new one.
    fn key(&self, context: &HookContext) -> Key {
        let (percent, limit) = (self.percent.to_string(), self.counter.scope.limit.to_string());
        let parts = [FOLDER, "said", self.what, self.counter.scope.key.as_str(), &percent, &limit];
        Key::new(context.tenant.as_deref(), &parts)
    }
}

/// Returns the time left in the window that contains `now`.
fn left_of(window: Window, now: Timestamp) -> Option<Duration> {
    match window {
        Window::Always => None,
        Window::Idle(idle) => Some(idle),
        Window::Every(_) | Window::Month => window.end(window.number(now)).map(|end| end.since(now)),
    }
}
