use std::mem;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use crate::call::{Answered, Call};
use crate::error::ModelError;
use crate::health::Health;

/// Asks a model only where its breaker lets the call through, and tells how it went. A call that is not let
/// through is answered by an error of kind `NotAdmitted` that says from when on it would be.
///
/// A probe whose call is dropped is given back: the next caller probes. Of a call that names no model of the
/// catalog nothing is known, and it goes through. An answer that comes in pieces under a
/// [`ResumeLayer`](crate::ResumeLayer) is a success at its end, not at its beginning.
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

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for BreakerService<S>
where
    S: Service<Call, Response = Answered<R>, Error = ModelError> + Clone,
{
    type Response = Answered<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S, S::Future, Answered<R>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let now = call.tick(self.health.world());
        let Some(model) = &call.model else { return ResponseFuture::asked(self.inner.call(call), None) };
        if let Some(refresh) = self.health.refresh(model, now) {
            let next = self.inner.clone();
            let ready = mem::replace(&mut self.inner, next);
            return ResponseFuture::refreshing(refresh, ready, call, self.health.clone());
        }
        match self.health.admit_and_tell(model, now, call.last_resort) {
            Ok((permit, None)) => ResponseFuture::asked(self.inner.call(call), Some((permit, now))),
            Ok((permit, Some(telling))) => {
                let next = self.inner.clone();
                let ready = mem::replace(&mut self.inner, next);
                ResponseFuture::confirming(telling, permit, ready, call)
            }
            Err(refusal) => ResponseFuture::refused(refusal.error(&call)),
        }
    }
}
