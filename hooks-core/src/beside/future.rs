//! Does work while an inner hook runs, and adds the result to the outcome.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use crate::error::HookError;
use crate::event::Event;
use crate::future::HookFuture;
use crate::request::HookRequest;
use pin_project_lite::pin_project;

pin_project! {
    /// Outcome of an inner hook, with the result of other work added. Both run at the same time. If the inner
    /// hook fails, its error is returned at once.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E: Event, T> {
        #[pin]
        inner: F,
        // Outcome of the inner hook.
        answer: Option<E::Outcome>,
        beside: Option<HookFuture<'static, T>>,
        done: Option<T>,
        request: HookRequest<E>,
        add: fn(&HookRequest<E>, &mut E::Outcome, T),
    }
}

impl<F, E: Event, T> ResponseFuture<F, E, T> {
    /// Waits for `inner`, the call of the inner hook with `request`, and for the work `beside`; `add` adds
    /// the result of the work to the outcome.
    pub fn new(
        inner: F,
        beside: Option<HookFuture<'static, T>>,
        request: HookRequest<E>,
        add: fn(&HookRequest<E>, &mut E::Outcome, T),
    ) -> Self {
        Self { inner, answer: None, beside, done: None, request, add }
    }
}

impl<F, E, T> Future for ResponseFuture<F, E, T>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Some(Poll::Ready(done)) = this.beside.as_mut().map(|beside| Pin::new(beside).poll(cx)) {
            (*this.beside, *this.done) = (None, Some(done));
        }
        if this.answer.is_none() {
            *this.answer = Some(ready!(this.inner.poll(cx))?);
        }
        if this.beside.is_some() {
            return Poll::Pending;
        }
        let Some(mut outcome) = this.answer.take() else { return Poll::Pending };
        if let Some(done) = this.done.take() {
            (this.add)(this.request, &mut outcome, done);
        }
        Poll::Ready(Ok(outcome))
    }
}

impl<F, E: Event, T> std::fmt::Debug for ResponseFuture<F, E, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ResponseFuture<{}>", E::KIND)
    }
}
