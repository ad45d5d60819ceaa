//! The future of an [`ObserverService`](super::ObserverService).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::{Observer, show};
use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

pin_project! {
    /// Resolves to the answer of the observed hook.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E: Event, O> {
        #[pin]
        inner: F,
        seen: Option<(O, HookRequest<E>)>,
    }
}

impl<F, E: Event, O> ResponseFuture<F, E, O> {
    pub(super) fn new(inner: F, seen: Option<(O, HookRequest<E>)>) -> Self {
        Self { inner, seen }
    }
}

impl<F, E, O> Future for ResponseFuture<F, E, O>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event,
    O: Observer<E>,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.inner.poll(cx));
        if let (Ok(outcome), Some((observer, request))) = (&answer, this.seen.take()) {
            show(&observer, E::effective(outcome).unwrap_or(&request), outcome);
        }
        Poll::Ready(answer)
    }
}
