use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use super::kept::Kept;
use super::layer::Shared;
use crate::call::{Call, Replied};
use crate::error::{ErrorKind, ModelError};
use crate::spare::Spare;

/// Retries with the same model as long as that is useful.
///
/// Ready when the inner service is. The ready instance makes the first attempt. Further attempts make another
/// instance ready after the pause, so that no permit is held during it. The healthy path allocates nothing.
#[derive(Clone)]
pub struct Retry<S> {
    inner: S,
    shared: Arc<Spare<S, Shared>>,
}

impl<S> Retry<S> {
    pub(super) const fn new(inner: S, shared: Arc<Spare<S, Shared>>) -> Self {
        Self { inner, shared }
    }

    inner_accessors!(inner: S, "The inner service", renewing shared by emptied);
}

impl<S, R> Service<Call> for Retry<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> ResponseFuture<S> {
        if call.retried {
            return ResponseFuture::refused(ModelError::new(
                ErrorKind::NestedRetry,
                "a retry loop inside a retry loop multiplies the attempts; leave one of them out",
            ));
        }
        call.retried = true;
        // A chain counts the attempts of its models itself.
        if let Some(model) = call.model.as_ref().filter(|_| call.turn == 0) {
            let health = &self.shared.health;
            let let_down = call.let_down().iter().any(|(index, _)| *index == model.index());
            // A call that continues a broken stream is a further attempt too.
            if !let_down {
                health.first_attempt(model);
            } else if !health.another_attempt(model, call.now.unwrap_or_else(|| health.world().tick())) {
                return ResponseFuture::refused(ModelError::new(
                    ErrorKind::NotAdmitted,
                    "the answer broke off, and its provider's retry budget is used up; try again later",
                ));
            }
        }
        self.shared.keep(&self.inner);
        let kept = Kept::new(&call, &self.shared.health);
        ResponseFuture::asking(self.inner.call(call), kept, Arc::clone(&self.shared))
    }
}

impl<S: fmt::Debug> fmt::Debug for Retry<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("inner", &self.inner).finish_non_exhaustive()
    }
}
