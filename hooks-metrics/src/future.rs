//! The future of a [`MetricsService`](super::MetricsService).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::time::Tick;
use hooks_core::{Event, HookError, HookRequest, Observer};
use pin_project::pin_project;

use super::registry::Metrics;

/// The answer of the inner hook, which is counted as it passes.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, E: Event> {
    #[pin]
    inner: F,
    seen: Option<(Metrics, HookRequest<E>)>,
    begun: Option<Tick>,
}

impl<F, E: Event> ResponseFuture<F, E> {
    pub(super) fn new(inner: F, seen: Option<(Metrics, HookRequest<E>)>) -> Self {
        let begun = seen.as_ref().map(|(_, request)| request.context().environment.clock.tick());
        Self { inner, seen, begun }
    }
}

impl<F, E> Future for ResponseFuture<F, E>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event,
    Metrics: Observer<E>,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.inner.poll(cx));
        if let (Some((metrics, request)), Some(begun)) = (this.seen.take(), *this.begun) {
            metrics.hook_took(&request, begun);
            if let Ok(outcome) = &answer {
                metrics.observe(E::effective(outcome).unwrap_or(&request), outcome);
            }
        }
        Poll::Ready(answer)
    }
}

impl<F, E: Event> fmt::Debug for ResponseFuture<F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("metrics::ResponseFuture").finish_non_exhaustive()
    }
}
