//! The future of a service in the shadow.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::Shadow;
use super::hooks::note;
use crate::error::HookError;
use crate::event::Event;
use crate::outcome::Judged;

pin_project! {
    /// Resolves to the answer of the inner hook, whose opinion is a note.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E> {
        #[pin]
        inner: F,
        // `None` if the hook is enforced.
        shadow: Option<Shadow>,
        event: PhantomData<fn() -> E>,
    }
}

impl<F, E> ResponseFuture<F, E> {
    pub(super) fn new(inner: F, shadow: Option<Shadow>) -> Self {
        Self { inner, shadow, event: PhantomData }
    }
}

impl<F, E> Future for ResponseFuture<F, E>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event<Outcome: Judged<E>>,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut outcome = ready!(this.inner.poll(cx))?;
        if let Some(shadow) = *this.shadow {
            note::<E>(&mut outcome, shadow);
        }
        Poll::Ready(Ok(outcome))
    }
}

impl<F, E> std::fmt::Debug for ResponseFuture<F, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("shadow::ResponseFuture").finish_non_exhaustive()
    }
}
