use std::task::{Context, Poll};

use tower_service::Service;

use super::Observer;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::request::{HookRequest, Stage};

/// Asks the inner hook, then shows the event and the outcome to the observer.
///
/// The observer sees the result of the layers inside it, so put it outermost. In a slot of
/// [`Hooks`](crate::Hooks) it sees the answer of its own stack, once; to observe the final outcome, add the
/// observer to the slot itself.
///
/// The cost is one reference count per call, and that of the observer. A panic of the observer is recorded
/// and passed over. The service is ready when the inner hook is.
#[derive(Clone, Copy, Debug)]
pub struct ObserverService<S, O> {
    inner: S,
    observer: O,
}

impl<S, O> ObserverService<S, O> {
    /// Lets `observer` see the answers of `inner`.
    pub const fn new(inner: S, observer: O) -> Self {
        Self { inner, observer }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E, O> Service<HookRequest<E>> for ObserverService<S, O>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event,
    O: Observer<E> + Clone,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, O>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let seen = matches!(request.stage(), Stage::Whole | Stage::Prepare)
            .then(|| (self.observer.clone(), request.clone()));
        ResponseFuture::new(self.inner.call(request), seen)
    }
}
