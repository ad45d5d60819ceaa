use std::mem;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use super::{ModelStream, ResumeLayer};
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// Continues answers that break midway. If nothing was released, the call is made again; if text was
/// released, it is continued; if a tool call was released, the stream ends. A stream that stalls counts as
/// broken, and nothing waits beyond the deadline of the call. The reported usage includes broken parts.
#[derive(Clone, Debug)]
pub struct Resume<S> {
    inner: S,
    layer: ResumeLayer,
}

impl<S> Resume<S> {
    pub(super) const fn new(inner: S, layer: ResumeLayer) -> Self {
        Self { inner, layer }
    }

    inner_accessors!(inner: S, "The stack");
}

impl<S> Service<Call> for Resume<S>
where
    S: Service<Call, Response = Replied<ModelStream>, Error = ModelError, Future: Send>
        + Clone
        + Send
        + 'static,
{
    type Response = Replied<ModelStream>;
    type Error = ModelError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        call.watched = true;
        // The ready instance makes this call, and stays with its stream.
        let spare = self.inner.clone();
        let mut ready = mem::replace(&mut self.inner, spare);
        let calling = ready.call(call.clone());
        ResponseFuture::new(calling, ready, call, self.layer.clone())
    }
}
