//! The future of a [`BreakerService`](super::BreakerService).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::time::Tick;
use pin_project::pin_project;

use crate::call::Answered;
use crate::error::{ErrorKind, ModelError};
use crate::health::Permit;

/// The answer of a model that was let through, or the refusal.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    #[pin]
    state: State<F>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    Asked {
        #[pin]
        inner: F,
        permit: Option<(Permit, Tick)>,
    },
    Refused(Option<ModelError>),
}

impl<F> ResponseFuture<F> {
    pub(super) fn asked(inner: F, permit: Option<(Permit, Tick)>) -> Self {
        Self { state: State::Asked { inner, permit } }
    }

    pub(super) fn refused(error: ModelError) -> Self {
        Self { state: State::Refused(Some(error)) }
    }
}

impl<F, R> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Answered<R>, ModelError>>,
{
    type Output = Result<Answered<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Refused(error) => Poll::Ready(Err(error.take().unwrap_or_else(|| {
                ModelError::new(ErrorKind::Unknown, "it was asked again after it had answered")
            }))),
            StateProjection::Asked { inner, permit } => {
                let answer = ready!(inner.poll(cx));
                if let Some((permit, began)) = permit.take() {
                    let now = permit.now();
                    match &answer {
                        Ok(_) => permit.succeeded(now, now.since(began)),
                        Err(error) => permit.failed(error, now, now.since(began)),
                    }
                }
                Poll::Ready(answer)
            }
        }
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("breaker::ResponseFuture").finish_non_exhaustive()
    }
}
