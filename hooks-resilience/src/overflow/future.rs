//! The future of an [`Overflow`](super::Overflow).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use pin_project::pin_project;
use tower_service::Service;

use super::recovery::Recovery;
use crate::call::{Call, Replied};
use crate::error::ModelError;

/// The answer of the inner service, or that to a shorter conversation if the first did not fit.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>, R> {
    #[pin]
    state: State<S, R>,
}

#[pin_project(project = StateProjection)]
enum State<S: Service<Call>, R> {
    First {
        #[pin]
        future: S::Future,
        /// The recovery from an overflow; `None` once it has begun.
        recovery: Option<Recovery<S>>,
    },
    /// Boxed, because it is rare and waits for models.
    Recovering(HookFuture<'static, Result<Replied<R>, ModelError>>),
}

impl<S, R> ResponseFuture<S, R>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError, Future: Send> + Clone + Send + 'static,
    R: Send + 'static,
{
    pub(super) fn new(future: S::Future, recovery: Recovery<S>) -> Self {
        Self { state: State::First { future, recovery: Some(recovery) } }
    }

    /// Recovers without an attempt, because `error` shows that the call cannot fit.
    pub(super) fn at_once(recovery: Recovery<S>, error: ModelError) -> Self {
        let state = match recovery.concerns(&error) {
            true => State::Recovering(HookFuture::later(recovery.run(error, false))),
            false => State::Recovering(HookFuture::now(Err(error))),
        };
        Self { state }
    }
}

impl<S, R> Future for ResponseFuture<S, R>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError, Future: Send> + Clone + Send + 'static,
    R: Send + 'static,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.state.as_mut().project() {
                StateProjection::First { future, recovery } => {
                    let error = match ready!(future.poll(cx)) {
                        Ok(replied) => return Poll::Ready(Ok(replied)),
                        Err(error) => error,
                    };
                    match recovery.take().filter(|recovery| recovery.concerns(&error)) {
                        Some(recovery) => {
                            let future = HookFuture::later(recovery.run(error, true));
                            this.state.set(State::Recovering(future));
                        }
                        None => return Poll::Ready(Err(error)),
                    }
                }
                StateProjection::Recovering(future) => return Pin::new(future).poll(cx),
            }
        }
    }
}

impl<S: Service<Call>, R> fmt::Debug for ResponseFuture<S, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("overflow::ResponseFuture").finish_non_exhaustive()
    }
}
