use std::task::{Context, Poll};

use tower_service::Service;

use super::Reserve;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::outcome::Judged;
use crate::request::HookRequest;

/// Asks the inner hook, then makes a reservation if the event is not denied. The reservation is part of the
/// outcome. It is given back if the outcome is dropped, or denied by an outer layer.
///
/// If a driver has several stacks, the layer only records the reservation as owed, and the driver makes it
/// once, at the end of the decision.
///
/// The service is ready when the inner hook is. The future of `call` makes the reservation, because it depends
/// on the request. An error of the store is returned as the error of the stack: put a
/// [`FailureLayer`](crate::FailureLayer) outside. Put this layer outside all layers that judge, so that it is
/// asked last.
#[derive(Clone, Copy, Debug)]
pub struct ReserveService<S, R> {
    inner: S,
    reserve: R,
}

impl<S, R> ReserveService<S, R> {
    /// Makes reservations with `reserve` for the events that `inner` does not deny.
    pub const fn new(inner: S, reserve: R) -> Self {
        Self { inner, reserve }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E, R> Service<HookRequest<E>> for ReserveService<S, R>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event<Outcome: Judged<E>>,
    R: Reserve<E> + Clone + 'static,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, R>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let kept = request.clone();
        ResponseFuture::new(self.inner.call(request), self.reserve.clone(), kept)
    }
}
