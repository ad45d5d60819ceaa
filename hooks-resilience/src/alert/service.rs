use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::desk::Desk;
use super::future::ResponseFuture;
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// Checks answers and errors for failures. Ready when the inner service is.
#[derive(Clone)]
pub struct AlertService<S> {
    inner: S,
    desk: Arc<Desk>,
}

impl<S> AlertService<S> {
    pub(super) const fn new(inner: S, desk: Arc<Desk>) -> Self {
        Self { inner, desk }
    }

    inner_accessors!(inner: S, "The inner service");
}

impl<S, R> Service<Call> for AlertService<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Response = Replied<R>;
    type Error = ModelError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let context = Arc::clone(call.context());
        ResponseFuture::new(self.inner.call(call), context, Arc::clone(&self.desk))
    }
}

impl<S: fmt::Debug> fmt::Debug for AlertService<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlertService").field("inner", &self.inner).finish_non_exhaustive()
    }
}
