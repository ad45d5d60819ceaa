//! The future of a [`Fallback`](super::Fallback).

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project::pin_project;
use tower_service::Service;

use super::run::{Next, Run, Wait};
use crate::call::{Answered, Call};
use crate::error::{ErrorKind, ModelError};

/// The answer of the first model that gives one.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>> {
    #[pin]
    state: State<S::Future>,
    /// What is left to do; `None` once refused.
    run: Option<Run<S>>,
    /// Whom further attempts ask; none before the first of them.
    inner: Option<S>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    /// A model is asked.
    Asking(#[pin] F),
    /// The next one is made ready for this.
    Readying(Option<Call>),
    /// No model is ready.
    Parked(Wait),
    /// Nothing is to be done.
    Ended(Option<ModelError>),
}

impl<S: Service<Call>> ResponseFuture<S> {
    pub(super) fn asking(future: S::Future, run: Run<S>) -> Self {
        Self { state: State::Asking(future), run: Some(run), inner: None }
    }

    pub(super) fn parked(wait: Wait, run: Run<S>) -> Self {
        Self { state: State::Parked(wait), run: Some(run), inner: None }
    }

    pub(super) fn refused(error: ModelError) -> Self {
        Self { state: State::Ended(Some(error)), run: None, inner: None }
    }
}

impl<S, R> Future for ResponseFuture<S>
where
    S: Service<Call, Response = Answered<R>, Error = ModelError> + Clone,
{
    type Output = Result<Answered<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let Some(run) = this.run.as_mut() else {
                let StateProjection::Ended(error) = this.state.project() else { return ended() };
                return error.take().map_or_else(ended, |error| Poll::Ready(Err(error)));
            };
            let next = match this.state.as_mut().project() {
                StateProjection::Asking(future) => match ready!(future.poll(cx)) {
                    Ok(mut answered) => {
                        run.answered(&mut answered);
                        return Poll::Ready(Ok(answered));
                    }
                    Err(error) => {
                        // What the attempt held of the call is let go first: naming the next model copies less.
                        this.state.set(State::Ended(None));
                        let now = run.world().tick();
                        run.failed(error, now)
                    }
                },
                StateProjection::Readying(call) => {
                    let instance = this.inner.take().or_else(|| run.instance());
                    let Some(inner) = instance.map(|inner| this.inner.insert(inner)) else { return ended() };
                    ready!(inner.poll_ready(cx))?;
                    let Some(mut call) = call.take() else { return ended() };
                    // Readiness may have taken its time.
                    call.now = None;
                    let future = inner.call(call);
                    this.state.set(State::Asking(future));
                    continue;
                }
                StateProjection::Parked(wait) => {
                    ready!(Pin::new(&mut wait.sleep).poll(cx));
                    let (place, now) = (wait.place.take(), run.world().tick());
                    run.woke(place, now)
                }
                StateProjection::Ended(_) => return ended(),
            };
            let state = match next {
                Next::Ask(call) => State::Readying(Some(call)),
                Next::Wait(wait) => State::Parked(wait),
                Next::End(error) => return Poll::Ready(Err(error)),
            };
            this.state.set(state);
        }
    }
}

/// It was polled after it had answered.
fn ended<R>() -> Poll<Result<Answered<R>, ModelError>> {
    Poll::Ready(Err(ModelError::new(ErrorKind::Unknown, "it was asked again after it had answered")))
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("fallback::ResponseFuture").finish_non_exhaustive()
    }
}
