use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use super::layer::Shared;
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// Makes a second attempt beside a slow one.
///
/// Ready when the inner service is. The ready instance makes the first attempt, a clone makes the second. If
/// hedging is off, it costs nothing.
#[derive(Clone)]
pub struct Hedge<S> {
    inner: S,
    shared: Arc<Shared>,
}

impl<S> Hedge<S> {
    pub(super) const fn new(inner: S, shared: Arc<Shared>) -> Self {
        Self { inner, shared }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for Hedge<S>
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
        if !self.shared.is_on() {
            return ResponseFuture::alone(self.inner.call(call));
        }
        self.shared.earn();
        let began = call.tick(self.shared.health.world());
        let unready = self.inner.clone();
        let first = std::mem::replace(&mut self.inner, unready).call(call.clone());
        ResponseFuture::hedged(first, self.inner.clone(), call, Arc::clone(&self.shared), began)
    }
}

impl<S: fmt::Debug> fmt::Debug for Hedge<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hedge").field("inner", &self.inner).finish_non_exhaustive()
    }
}
