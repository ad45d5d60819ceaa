use std::task::{Context, Poll};

use tower_service::Service;

use super::Decider;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::outcome::Judged;
use crate::request::HookRequest;

/// Asks a decider, changes the event as it says, asks the inner hook, and answers what both say.
///
/// A denial of the decider's is answered without asking the inner hook, unless the request asks everyone.
/// Where the event is changed after the decider was asked, by itself or further in, it is asked again about
/// the final event; a change it then wants is ignored and an allow that comes with one is no opinion (law 2).
///
/// Always ready: it waits for the decider first and drives the readiness of a clone of the inner hook then,
/// so that no permit is held over the wait. It adds no allocation of its own. The decider's error is the
/// stack's: put a [`FailureLayer`](crate::FailureLayer) outside.
#[derive(Clone, Copy, Debug)]
pub struct DecideService<S, D> {
    inner: S,
    decider: D,
}

impl<S, D> DecideService<S, D> {
    /// Asks `decider` in front of `inner`.
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
