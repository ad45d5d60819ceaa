//! The future of a [`Resume`](super::Resume).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project::pin_project;
use tower_service::Service;

use super::resume::ResumeStream;
use super::{ModelStream, ResumeLayer};
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// The start of an answer; the rest is monitored as a stream.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>> {
    #[pin]
    calling: S::Future,
    /// Parts that the stream needs later; taken when it begins.
    rest: Option<(S, Call, ResumeLayer)>,
}

impl<S: Service<Call>> ResponseFuture<S> {
    pub(super) const fn new(calling: S::Future, service: S, call: Call, layer: ResumeLayer) -> Self {
        Self { calling, rest: Some((service, call, layer)) }
    }
}

impl<S> Future for ResponseFuture<S>
where
    S: Service<Call, Response = Replied<ModelStream>, Error = ModelError, Future: Send> + Send + 'static,
{
    type Output = Result<Replied<ModelStream>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut replied = ready!(this.calling.poll(cx))?;
        let Some((service, mut call, layer)) = this.rest.take() else {
            return Poll::Ready(Err(ModelError::polled_again()));
        };
        let (model, outstanding) = (replied.model.clone(), replied.outstanding.take());
        // Reset, so that the receiver of the answer may send its call again.
        replied.call.watched = false;
        // A layer below may have set the deadline, which applies to the whole call.
        call.deadline = call.deadline.or(replied.call.deadline);
        Poll::Ready(Ok(replied.map(|stream| {
            ModelStream::new(ResumeStream::new(stream, model, outstanding, service, call, layer.shared))
        })))
    }
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("stream::ResponseFuture").finish_non_exhaustive()
    }
}
