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
