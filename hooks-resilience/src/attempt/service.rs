use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::AttemptLayer;
use super::future::{ResponseFuture, panicked};
use crate::call::{Call, Replied};
use crate::classify::Classify;
use crate::error::{ErrorKind, ModelError};

/// Makes one attempt. It ends at the earliest of three limits: the attempt's timeout, the deadline of the
/// call, or a third of the call's whole time if another model could answer after that. The error of the client
/// is classified and names its model; a panic of the client counts as a failure.
///
/// If the deadline has passed, no attempt is made. The timer is armed once the client has to be waited for.
#[derive(Debug)]
pub struct Attempt<S, C> {
    inner: S,
    layer: AttemptLayer<C>,
}

impl<S, C> Attempt<S, C> {
    /// Creates a service that makes attempts with the client `inner`.
    pub const fn new(inner: S, layer: AttemptLayer<C>) -> Self {
        Self { inner, layer }
    }

    inner_accessors!(inner: S, "The client");
}

impl<S: Clone, C> Clone for Attempt<S, C> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), layer: self.layer.clone() }
    }
}

impl<S, C> Service<Call> for Attempt<S, C>
where
    S: Service<Call>,
    C: Classify<S::Error>,
{
    type Response = Replied<S::Response>;
    type Error = ModelError;
    type Future = ResponseFuture<S::Future, C>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        match catch_unwind(AssertUnwindSafe(|| self.inner.poll_ready(cx))) {
            Ok(polled) => polled.map_err(|error| self.layer.shared.classify.classify(error)),
            Err(panic) => Poll::Ready(Err(panicked(&*panic))),
        }
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        let now = call.tick(&self.layer.shared.world);
        if call.deadline.is_some_and(|deadline| deadline <= now) {
            let error = ModelError::new(
                ErrorKind::DeadlineExceeded,
                "the deadline of the call had passed before it was sent",
            );
            return ResponseFuture::refused(error, call, self.layer.clone());
        }
        let copy = call.clone();
        match catch_unwind(AssertUnwindSafe(|| self.inner.call(copy))) {
            Ok(inner) => ResponseFuture::calling(inner, call, self.layer.clone()),
            Err(panic) => ResponseFuture::refused(panicked(&*panic), call, self.layer.clone()),
        }
    }
}
