use std::task::{Context, Poll};

use tower_service::Service;

use super::Decider;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::outcome::Judged;
use crate::request::HookRequest;

/// Asks a decider, applies its change to the event, asks the inner hook, and merges both answers.
///
/// If the decider denies, the inner hook is not asked, unless the request has
/// [`Evaluation::Everyone`](crate::Evaluation::Everyone). If the event is changed after the decider was
/// asked, by the decider itself or by an inner hook, the decider is asked again about the final event. A
/// change that it returns then is ignored, and an allow that comes with a change is no opinion (law 2).
///
/// The service is always ready. It waits for the decider first, and only then drives the readiness of a clone
/// of the inner hook, so that no permit is held during the wait. It adds no allocation of its own. An error
/// of the decider is returned as the error of the stack: put a [`FailureLayer`](crate::FailureLayer) outside.
#[derive(Clone, Copy, Debug)]
pub struct DecideService<S, D> {
    inner: S,
    decider: D,
}

impl<S, D> DecideService<S, D> {
    /// Asks `decider` before `inner`.
    pub const fn new(inner: S, decider: D) -> Self {
        Self { inner, decider }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E, D> Service<HookRequest<E>> for DecideService<S, D>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError> + Clone,
    E: Event<Outcome: Judged<E>>,
    D: Decider<E> + Clone,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S, E, D>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        ResponseFuture::new(self.inner.clone(), self.decider.clone(), request)
    }
}
