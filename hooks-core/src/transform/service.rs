use std::task::{Context, Poll};

use tower_service::Service;

use super::future::ResponseFuture;
use super::{Transform, rewrite};
use crate::error::HookError;
use crate::event::{Event, OnFailure};
use crate::failure::failed;
use crate::inner_accessors;
use crate::request::{HookRequest, Stage};
use crate::verdict::Reason;

/// Rewrites the event, then asks the inner hook about what it became.
///
/// It runs once per event: where a driver asks the stack again, the event passes unchanged. A transform that
/// errs is a denial where the event's failures close; otherwise it is passed over and recorded. It costs what the transform does and, where that changes something, a
/// copy of the event; readiness is that of the inner hook. Put it outside of what has to see its result.
#[derive(Clone, Copy, Debug)]
pub struct TransformService<S, T> {
    inner: S,
    transform: T,
}

impl<S, T> TransformService<S, T> {
    /// Lets `transform` rewrite what `inner` is asked about.
    pub const fn new(inner: S, transform: T) -> Self {
        Self { inner, transform }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E, T> Service<HookRequest<E>> for TransformService<S, T>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event,
    T: Transform<E>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: HookRequest<E>) -> Self::Future {
        if matches!(request.stage(), Stage::Whole | Stage::Prepare)
            && let Err(error) = rewrite(&self.transform, &mut request)
        {
            let reason = Reason::failure(self.transform.name().to_owned(), &error);
            let failure = failed::<E>(request.context(), reason, false);
            // Where the event's failures close, that is the answer; otherwise only this transform is passed
            // over, not what stands behind it.
            return match E::KIND.on_failure() {
                OnFailure::Closes => ResponseFuture::decided(failure),
                OnFailure::Opens => ResponseFuture::inner(self.inner.call(request), Some(failure)),
            };
        }
        ResponseFuture::inner(self.inner.call(request), None)
    }
}
