use std::mem;
use std::task::{Context, Poll};

use hooks_core::inner_accessors;
use tower_service::Service;

use super::future::ResponseFuture;
use super::{ModelStream, ResumeLayer};
use crate::call::{Answered, Call};
use crate::error::ModelError;

/// Brings answers that break midway to their end: asked again where nothing was released, gone on with where text
/// was, ended where a tool call was. A stream that stalls counts as broken; nothing waits beyond the deadline of the
/// call. What broken parts took is in the usage.
#[derive(Clone, Debug)]
pub struct ResumeService<S> {
    inner: S,
    layer: ResumeLayer,
}

impl<S> ResumeService<S> {
    pub(super) const fn new(inner: S, layer: ResumeLayer) -> Self {
        Self { inner, layer }
    }

    inner_accessors!(inner: S, "The stack");
}

impl<S> Service<Call> for ResumeService<S>
where
    S: Service<Call, Response = Answered<ModelStream>, Error = ModelError, Future: Send>
        + Clone
        + Send
        + 'static,
{
    type Response = Answered<ModelStream>;
    type Error = ModelError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), ModelError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: Call) -> Self::Future {
        call.watched = true;
        // The instance that was made ready serves this call, and goes with its stream.
        let spare = self.inner.clone();
        let mut ready = mem::replace(&mut self.inner, spare);
        let asked = ready.call(call.clone());
        ResponseFuture::new(asked, ready, call, self.layer.clone())
    }
}
