use std::sync::Arc;
use std::time::Duration;

use tower_layer::Layer;

use super::FailureService;
use crate::time::Timer;

/// Turns the failures of an inner hook into outcomes; see [`FailureService`].
#[derive(Clone)]
pub struct FailureLayer {
    pub(super) hook: Arc<str>,
    pub(super) deadline: Option<(Duration, Arc<dyn Timer>)>,
    pub(super) opened: bool,
}

impl FailureLayer {
    /// A layer for the hook with this name. The kind of the event determines the meaning of a failure.
    pub fn new(hook: impl Into<Arc<str>>) -> Self {
        Self { hook: hook.into(), deadline: None, opened: false }
    }

    /// Sets a deadline: `limit` after the call, measured by `timer`. In a slot of [`Hooks`](crate::Hooks),
    /// the deadline includes the readiness of the hook; in a static stack, the caller waits for readiness.
    ///
    /// ```
    /// use std::{sync::Arc, time::Duration};
    /// use futures_util::FutureExt;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{FailureLayer, HookContext, HookError, HookRequest, Judged, hook_fn, testing::FakeTimer};
    /// use tower::{Layer, ServiceExt};
    ///
    /// let stuck = hook_fn(|_: HookRequest<PreToolUse>| std::future::pending::<Result<_, HookError>>());
    /// let timer = FakeTimer::default();
    /// let guarded = FailureLayer::new("remote").within(Duration::from_secs(5), Arc::new(timer.clone())).layer(stuck);
    /// let call = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
    /// let mut answer = Box::pin(guarded.oneshot(call));
    /// assert!((&mut answer).now_or_never().is_none());
    /// timer.advance(Duration::from_secs(5));
    /// let outcome = answer.now_or_never().expect("the time is up").expect("an outcome");
    /// assert_eq!(outcome.shown_reason().expect("a denial").message, "the hook did not answer within 5s");
    /// ```
    #[must_use]
    pub fn within(mut self, limit: Duration, timer: Arc<dyn Timer>) -> Self {
        self.deadline = Some((limit, timer));
        self
    }

    /// Passes over the failures of this hook even if its event can be denied. This is the explicit setting
    /// that law 3 requires.
    #[must_use]
    pub fn opened(mut self) -> Self {
        self.opened = true;
        self
    }
}

impl<S> Layer<S> for FailureLayer {
    type Service = FailureService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        FailureService::new(inner, self.clone())
    }
}

impl std::fmt::Debug for FailureLayer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FailureLayer")
            .field("hook", &self.hook)
            .field("deadline", &self.deadline.as_ref().map(|(limit, _)| limit))
            .field("opened", &self.opened)
            .finish()
    }
}
