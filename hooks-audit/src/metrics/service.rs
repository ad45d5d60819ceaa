use std::task::{Context, Poll};

use hooks_core::{Event, HookError, HookRequest, Observer, Stage, inner_accessors};
use tower_service::Service;

use super::future::ResponseFuture;
use super::registry::Metrics;

/// Asks the inner hook, counts the event and its outcome, and how long it took.
///
/// Put it outermost. It sees what stands inside of it; in a [`Hooks`](hooks_core::Hooks) slot that is the answer of one
/// stack, while [`Metrics::add_to`] counts the final one. It changes nothing, fails never, and costs a few hashes and
/// no allocation; readiness is that of the inner hook.
#[derive(Clone, Debug)]
pub struct MetricsService<S> {
    inner: S,
    metrics: Metrics,
}

impl<S> MetricsService<S> {
    /// Counts what `inner` answers.
    pub const fn new(inner: S, metrics: Metrics) -> Self {
        Self { inner, metrics }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E> Service<HookRequest<E>> for MetricsService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event,
    Metrics: Observer<E>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        // What is judged again after a wait was counted before it.
        let seen = matches!(request.stage(), Stage::Whole | Stage::Prepare)
            .then(|| (self.metrics.clone(), request.clone()));
        ResponseFuture::new(self.inner.call(request), seen)
    }
}
