use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use tower_service::Service;

use super::FailureLayer;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::request::HookRequest;

/// Asks the inner hook and always returns an outcome. An error, a panic in `poll_ready`, in `call` or while
/// the answer is polled, and a missed deadline become outcomes with a reason of kind `failure`.
///
/// This service never returns an error. If the readiness of the inner service fails, this one stays ready,
/// and its next call is answered as a failure. It allocates nothing without a deadline, and makes one timer
/// with one. Put it around each hook that can fail, or outermost.
#[derive(Debug)]
pub struct FailureService<S> {
    inner: S,
    layer: FailureLayer,
    /// Error of the inner service's readiness. `poll_ready` writes it, so a clone starts without it.
    broken: Option<HookError>,
}

impl<S> FailureService<S> {
    /// Guards `inner` with the settings of `layer`.
    pub const fn new(inner: S, layer: FailureLayer) -> Self {
        Self { inner, layer, broken: None }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S: Clone> Clone for FailureService<S> {
    fn clone(&self) -> Self {
        Self::new(self.inner.clone(), self.layer.clone())
    }
}

impl<S, E> Service<HookRequest<E>> for FailureService<S>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        if self.broken.is_some() {
            return Poll::Ready(Ok(()));
        }
        let polled = catch_unwind(AssertUnwindSafe(|| self.inner.poll_ready(cx)));
        match polled.unwrap_or_else(|panic| Poll::Ready(Err(HookError::from_panic(&*panic)))) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(ready) => {
                self.broken = ready.err();
                Poll::Ready(Ok(()))
            }
        }
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let context = request.context().clone();
        let started = match self.broken.take() {
            Some(error) => Err(error),
            None => catch_unwind(AssertUnwindSafe(|| self.inner.call(request)))
                .map_err(|panic| HookError::from_panic(&*panic)),
        };
        ResponseFuture::new(started, context, self.layer.clone())
    }
}
