//! The future of a [`Prompt`](super::Prompt).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hooks_core::beside;
use hooks_core::event::UserPromptSubmitted;
use hooks_core::{ContextPatch, HookError, HookFuture, HookRequest, Outcome, PromptOutcome};
use pin_project::pin_project;

/// Future of the inner hook's outcome, with the notes about the message before it.
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    /// `None` if the message cannot be processed as configured: then the inner hook is not called.
    #[pin]
    calling: Option<beside::ResponseFuture<F, UserPromptSubmitted, ContextPatch>>,
    refused: Option<HookError>,
}

impl<F> ResponseFuture<F> {
    pub(super) const fn refused(error: HookError) -> Self {
        Self { calling: None, refused: Some(error) }
    }

    /// Makes the future of a call of `inner` with `request`; `notes` are the notes about the message.
    pub(super) fn calling(
        inner: F,
        notes: Option<HookFuture<'static, ContextPatch>>,
        request: HookRequest<UserPromptSubmitted>,
    ) -> Self {
        let calling = beside::ResponseFuture::new(inner, notes, request, behind);
        Self { calling: Some(calling), refused: None }
    }
}

impl<F: Future<Output = Result<PromptOutcome, HookError>>> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        match this.calling.as_pin_mut() {
            Some(calling) => calling.poll(cx),
            None => this.refused.take().map_or(Poll::Pending, |error| Poll::Ready(Err(error))),
        }
    }
}

fn behind(_request: &HookRequest<UserPromptSubmitted>, outcome: &mut PromptOutcome, notes: ContextPatch) {
    let inner = std::mem::replace(outcome, PromptOutcome::noting(notes));
    outcome.merge(inner);
}
