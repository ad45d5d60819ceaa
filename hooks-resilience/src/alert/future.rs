//! The future of an [`AlertService`](super::AlertService).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookContext;
use pin_project::pin_project;

use super::desk::Desk;
use crate::call::Replied;
use crate::error::ModelError;

/// The inner future; its result is checked for failures and passed on.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    #[pin]
    inner: F,
    context: Arc<HookContext>,
    desk: Arc<Desk>,
}

impl<F> ResponseFuture<F> {
    pub(super) const fn new(inner: F, context: Arc<HookContext>, desk: Arc<Desk>) -> Self {
        Self { inner, context, desk }
    }
}

impl<F, R> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Replied<R>, ModelError>>,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = ready!(this.inner.poll(cx));
        match &answer {
            Ok(replied) if replied.failed.is_empty() => {}
            Ok(replied) => this.desk.replied(this.context, &replied.failed),
            Err(error) => this.desk.failed(this.context, error),
        }
        Poll::Ready(answer)
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("alert::ResponseFuture").finish_non_exhaustive()
    }
}
