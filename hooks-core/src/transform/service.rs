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

/// Rewrites the event, then asks the inner hook about the result.
///
/// It runs once per event: if a driver asks the stack again, the event passes unchanged. If the transform
/// returns an error, the event is denied where failures of the event close; otherwise the transform is passed
/// over and the failure is recorded.
///
/// The cost is that of the transform, and a copy of the event if it is changed. The service is ready when the
/// inner hook is. Put it outside all layers that must see its result.
#[derive(Clone, Copy, Debug)]
pub struct TransformService<S, T> {
    inner: S,
    transform: T,
}

impl<S, T> TransformService<S, T> {
    /// Lets `transform` rewrite the events that `inner` is asked about.
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
            // If failures of the event close, the failure is the answer. Otherwise only this transform is
            // passed over, and the inner hook is still asked.
            return match E::KIND.on_failure() {
                OnFailure::Closes => ResponseFuture::done(failure),
                OnFailure::Opens => ResponseFuture::inner(self.inner.call(request), Some(failure)),
            };
        }
        ResponseFuture::inner(self.inner.call(request), None)
    }
}
