use std::task::{Context, Poll};

use tower_service::Service;

use super::Reserve;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::outcome::Judged;
use crate::request::HookRequest;

/// Asks the inner hook, then takes a place for what was not denied. The place comes with the outcome and is
/// given back when that is dropped or denied further out.
///
/// Where a driver has several stacks, the place is only owed here, and taken by the driver once, at the end.
///
/// What depends on the request is answered by `call`: readiness is that of the inner hook. A store that errs
/// is the stack's error: put a [`FailureLayer`](crate::FailureLayer) outside. Put this outermost of what
/// judges, so that it is asked last.
#[derive(Clone, Copy, Debug)]
pub struct ReserveService<S, R> {
    inner: S,
    reserve: R,
}

impl<S, R> ReserveService<S, R> {
    /// Takes places from `reserve` for what `inner` lets through.
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
