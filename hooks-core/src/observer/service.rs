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
/// The observer sees what stands inside of it: put it outermost. In a [`Hooks`](crate::Hooks) slot it sees the
/// answer of its stack, once; an observer of the final outcome is given to the slot itself. It costs one
/// counter per call and what the observer does; its panics are recorded and passed over; readiness is that of
/// the inner hook.
#[derive(Clone, Copy, Debug)]
pub struct ObserverService<S, O> {
    inner: S,
    observer: O,
}

impl<S, O> ObserverService<S, O> {
    /// Lets `observer` see what `inner` answers.
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
