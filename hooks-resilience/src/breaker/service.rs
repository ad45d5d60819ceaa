use std::task::{Context, Poll};

use tower_service::Service;

use super::future::ResponseFuture;
use crate::call::{Answered, Call};
use crate::error::ModelError;
use crate::health::Health;

/// Asks a model only where its breaker lets the call through, and tells how it went. A call that is not let
/// through is answered by an error of kind `Closed` that says from when on it would be.
///
/// A probe whose call is dropped is given back: the next caller probes. Of a call that names no model of the
/// catalog nothing is known, and it goes through.
#[derive(Clone, Debug)]
pub struct BreakerService<S> {
    inner: S,
    health: Health,
}

impl<S> BreakerService<S> {
    /// Asks `inner` where `health` lets it.
    pub const fn new(inner: S, health: Health) -> Self {
        Self { inner, health }
    }

    /// The inner service.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The inner service, to change.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The inner service alone.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S, R> Service<Call> for BreakerService<S>
where
    S: Service<Call, Response = Answered<R>, Error = ModelError>,
{
    type Response = Answered<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let now = call.tick(self.health.world());
        let permit = match &call.model {
            None => None,
            Some(model) => match self.health.admit(model, now) {
                Ok(permit) => Some((permit, now)),
                Err(closed) => return ResponseFuture::refused(closed.error(&model.name)),
            },
        };
        ResponseFuture::asked(self.inner.call(call), permit)
    }
}
