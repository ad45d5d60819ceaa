use std::mem;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use crate::call::{Call, Replied};
use crate::error::ModelError;
use crate::health::Health;

/// Calls a model only if its breaker admits the call, and reports the result. A call that is not admitted
/// fails with an error of kind `NotAdmitted`, which carries the time from which it may pass.
///
/// If the call of a probe is dropped, the next caller probes. A call that names no model of the catalog
/// always passes. A streamed answer under a [`ResumeLayer`](crate::ResumeLayer) counts as a success at its
/// end, not at its beginning.
#[derive(Clone, Debug)]
pub struct Breaker<S> {
    inner: S,
    health: Health,
}

impl<S> Breaker<S> {
    /// Creates a service that calls `inner` if `health` admits the call.
    pub const fn new(inner: S, health: Health) -> Self {
        Self { inner, health }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for Breaker<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S, S::Future, Replied<R>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let now = call.tick(self.health.world());
        let Some(model) = &call.model else { return ResponseFuture::calling(self.inner.call(call), None) };
        if let Some(refresh) = self.health.refresh(model, now) {
            let next = self.inner.clone();
            let ready = mem::replace(&mut self.inner, next);
            return ResponseFuture::refreshing(refresh, ready, call, self.health.clone());
        }
        match self.health.admit_and_tell(model, now, call.last_resort) {
            Ok((permit, None)) => ResponseFuture::calling(self.inner.call(call), Some((permit, now))),
            Ok((permit, Some(telling))) => {
                let next = self.inner.clone();
                let ready = mem::replace(&mut self.inner, next);
                ResponseFuture::confirming(telling, permit, ready, call)
            }
            Err(refusal) => ResponseFuture::refused(refusal.error(&call)),
        }
    }
}
