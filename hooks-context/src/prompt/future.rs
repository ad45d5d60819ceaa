//! The future of a [`Prompt`](super::Prompt).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hooks_core::event::UserPromptSubmitted;
use hooks_core::{ContextPatch, HookError, HookFuture, HookRequest, Outcome, PromptOutcome};
use hooks_team::beside;
use pin_project::pin_project;

/// The inner hook's answer, behind what was found in the message.
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    /// Nothing where the message cannot be read as configured: then nobody is asked about it.
    #[pin]
    asked: Option<beside::ResponseFuture<F, UserPromptSubmitted, ContextPatch>>,
    refused: Option<HookError>,
}

impl<F> ResponseFuture<F> {
    pub(super) const fn refused(error: HookError) -> Self {
        Self { asked: None, refused: Some(error) }
    }

    /// `inner` was asked about `request`; `notes` are what the message brings along, if anything.
    pub(super) fn asked(
        inner: F,
        notes: Option<HookFuture<'static, ContextPatch>>,
        request: HookRequest<UserPromptSubmitted>,
    ) -> Self {
        let asked = beside::ResponseFuture::new(inner, notes, request, behind);
        Self { asked: Some(asked), refused: None }
    }
}

impl<F: Future<Output = Result<PromptOutcome, HookError>>> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        match this.asked.as_pin_mut() {
            Some(asked) => asked.poll(cx),
            None => this.refused.take().map_or(Poll::Pending, |error| Poll::Ready(Err(error))),
        }
    }
}

fn behind(_request: &HookRequest<UserPromptSubmitted>, outcome: &mut PromptOutcome, notes: ContextPatch) {
    let inner = std::mem::replace(outcome, PromptOutcome::noting(notes));
    outcome.merge(inner);
}
