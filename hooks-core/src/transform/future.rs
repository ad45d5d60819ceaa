//! The future of a [`TransformService`](super::TransformService).

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::error::HookError;
use crate::event::Event;
use crate::outcome::Outcome;

pin_project! {
    /// Resolves to the answer of the hook behind a transform, or to the failure of the transform.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E: Event> {
        #[pin]
        state: State<F, E::Outcome>,
        of: PhantomData<fn() -> E>,
    }
}

pin_project! {
    #[project = StateProjection]
    #[derive(Debug)]
    enum State<F, O> {
        Done {
            outcome: Option<O>,
        },
        Inner {
            #[pin]
            future: F,
            // Outcome that records a transform that failed and was passed over.
            passed_over: Option<O>,
        },
    }
}

impl<F, E: Event> ResponseFuture<F, E> {
    pub(super) fn done(outcome: E::Outcome) -> Self {
        Self { state: State::Done { outcome: Some(outcome) }, of: PhantomData }
    }

    pub(super) fn inner(future: F, passed_over: Option<E::Outcome>) -> Self {
        Self { state: State::Inner { future, passed_over }, of: PhantomData }
    }
}

impl<F, E> Future for ResponseFuture<F, E>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Done { outcome } => Poll::Ready(Ok(outcome.take().unwrap_or_default())),
            StateProjection::Inner { future, passed_over } => {
                let inner = ready!(future.poll(cx))?;
                Poll::Ready(Ok(match passed_over.take() {
                    None => inner,
                    Some(mut outcome) => {
                        outcome.merge(inner);
                        outcome
                    }
                }))
            }
        }
    }
}
