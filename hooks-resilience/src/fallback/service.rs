use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::first;
use super::future::ResponseFuture;
use super::layer::Shared;
use super::run::{Next, Run};
use crate::call::{Call, Replied};
use crate::error::ModelError;
use crate::spare::Spare;

/// Calls the models of a call's chain, one after the other, until one answers.
///
/// Ready when the inner service is. The ready instance makes the first attempt; further attempts make another
/// instance ready. A call that is parked first takes no instance. The healthy path allocates nothing: the
/// state of a longer course is created once a model failed or is not ready.
#[derive(Clone)]
pub struct Fallback<S> {
    inner: S,
    shared: Arc<Spare<S, Shared>>,
}

impl<S> Fallback<S> {
    pub(super) const fn new(inner: S, shared: Arc<Spare<S, Shared>>) -> Self {
        Self { inner, shared }
    }

    inner_accessors!(inner: S, "The inner service", renewing shared by emptied);
}

impl<S, R> Service<Call> for Fallback<S>
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
        let now = call.tick(self.shared.health.world());
        self.shared.keep(&self.inner);
        if let Some(attempt) = first::first(&self.shared, &call, now) {
            return ResponseFuture::first(self.inner.call(attempt), call, Arc::clone(&self.shared));
        }
        let mut run = match Run::new(call, Arc::clone(&self.shared), now) {
            Ok(run) => run,
            Err(error) => return ResponseFuture::refused(error),
        };
        match run.step(now) {
            Next::Ask(attempt) => ResponseFuture::asking(self.inner.call(attempt), run),
            Next::Wait(wait) => ResponseFuture::parked(wait, run),
            Next::End(error) => ResponseFuture::refused(error),
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for Fallback<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fallback").field("inner", &self.inner).finish_non_exhaustive()
    }
}
