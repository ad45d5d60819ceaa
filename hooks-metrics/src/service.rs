use std::task::{Context, Poll};

use hooks_core::{Event, HookError, HookRequest, Observer, Stage, inner_accessors};
use tower_service::Service;

use super::future::ResponseFuture;
use super::registry::Metrics;

/// Calls the inner hook; counts the event, its outcome and the duration.
///
/// Put it outermost, because it only sees the hooks inside of it. In a [`Hooks`](hooks_core::Hooks) slot that
/// is the answer of one stack, while [`Metrics::add_to`] counts the final outcome. It changes nothing, never
/// fails, and costs a few hashes and no allocation. Ready when the inner hook is.
#[derive(Clone, Debug)]
pub struct MetricsService<S> {
    inner: S,
    metrics: Metrics,
}

impl<S> MetricsService<S> {
    /// Creates a service that counts the outcomes of `inner`.
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
        // In the stage after a wait, the event was already counted.
        let seen = matches!(request.stage(), Stage::Whole | Stage::Prepare)
            .then(|| (self.metrics.clone(), request.clone()));
        ResponseFuture::new(self.inner.call(request), seen)
    }
}
