use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::UserPromptSubmitted;
use hooks_core::{Hook, HookError, HookRequest, PromptOutcome, Stage, inner_accessors};
use tower_service::Service;

use super::future::ResponseFuture;
use super::prompts::Prompts;

/// Checks and completes a user's message, then calls the inner hook with the result.
///
/// It runs once for each message: if a driver calls the stack again, the message passes unchanged. It decides
/// nothing. Readiness is that of the inner hook.
#[derive(Clone)]
pub struct Prompt<S> {
    inner: S,
    prompts: Arc<Prompts>,
}

impl<S> Prompt<S> {
    pub(super) const fn new(inner: S, prompts: Arc<Prompts>) -> Self {
        Self { inner, prompts }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S: Hook<UserPromptSubmitted>> Service<HookRequest<UserPromptSubmitted>> for Prompt<S> {
    type Response = PromptOutcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: HookRequest<UserPromptSubmitted>) -> Self::Future {
        let notes = match request.stage() {
            Stage::Whole | Stage::Prepare => match self.prompts.read(&mut request) {
                Ok(notes) => Some(notes),
                Err(error) => return ResponseFuture::refused(error),
            },
            _ => None,
        };
        ResponseFuture::calling(self.inner.call(request.clone()), notes, request)
    }
}

impl<S: fmt::Debug> fmt::Debug for Prompt<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt").field("inner", &self.inner).finish_non_exhaustive()
    }
}
