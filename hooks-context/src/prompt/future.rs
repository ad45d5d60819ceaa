//! The future of a [`Prompt`](super::Prompt).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::{ContextPatch, HookError, Outcome, PromptOutcome};
use pin_project::pin_project;

/// The inner hook's answer, behind what was found in the message.
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    #[pin]
    inner: F,
    notes: Option<Result<ContextPatch, HookError>>,
}

impl<F> ResponseFuture<F> {
    pub(super) const fn new(inner: F, notes: Option<Result<ContextPatch, HookError>>) -> Self {
        Self { inner, notes }
    }
}

impl<F: Future<Output = Result<PromptOutcome, HookError>>> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // A message that cannot be read as configured is not asked about.
        if let Some(Err(_)) = this.notes
            && let Some(Err(error)) = this.notes.take()
        {
            return Poll::Ready(Err(error));
        }
        let inner = ready!(this.inner.poll(cx))?;
        Poll::Ready(Ok(match this.notes.take() {
            Some(Ok(notes)) => {
                let mut outcome = PromptOutcome::noting(notes);
                outcome.merge(inner);
                outcome
            }
            _ => inner,
        }))
    }
}
