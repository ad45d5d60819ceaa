//! The future of a [`Fallback`](super::Fallback).

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use pin_project::pin_project;
use tower_service::Service;

use super::first;
use super::layer::Shared;
use super::run::{Next, Run, Wait};
use crate::call::{Call, Replied};
use crate::error::ModelError;
use crate::spare::Spare;

/// The answer of the first model that succeeds.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>> {
    #[pin]
    state: State<S::Future>,
    course: Course<S>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    /// A model answers.
    Asking(#[pin] F),
    /// The next model is made ready for this call.
    Readying(Option<Call>),
    /// No model is ready.
    Parked(Wait),
    /// The call is complete.
    Ended(Option<ModelError>),
}

/// Progress of a call.
enum Course<S> {
    /// The first model answers.
    First(Call, Arc<Spare<S, Shared>>),
    /// A model failed or was not ready. Boxed: most calls never get here.
    Further(Box<Further<S>>),
    /// The call is complete.
    Over,
}

struct Further<S> {
    run: Run<S>,
    /// Service for further attempts; `None` before the first of them.
    inner: Option<S>,
}

impl<S: Service<Call>> ResponseFuture<S> {
    pub(super) fn first(future: S::Future, call: Call, shared: Arc<Spare<S, Shared>>) -> Self {
        Self { state: State::Asking(future), course: Course::First(call, shared) }
    }

    pub(super) fn asking(future: S::Future, run: Run<S>) -> Self {
        Self { state: State::Asking(future), course: Course::further(run) }
    }

    pub(super) fn parked(wait: Wait, run: Run<S>) -> Self {
        Self { state: State::Parked(wait), course: Course::further(run) }
    }

    pub(super) fn refused(error: ModelError) -> Self {
        Self { state: State::Ended(Some(error)), course: Course::Over }
    }
}

impl<S> Course<S> {
    fn further(run: Run<S>) -> Self {
        Self::Further(Box::new(Further { run, inner: None }))
    }

    fn replied<R>(&mut self, replied: &mut Replied<R>) {
        match self {
            Self::First(call, shared) => first::replied(shared, call, replied),
            Self::Further(further) => further.run.replied(replied),
            Self::Over => {}
        }
    }

    /// Decides the next step after the current model failed.
    fn failed(&mut self, error: ModelError) -> Result<Next, ModelError> {
        *self = match mem::replace(self, Self::Over) {
            Self::First(call, shared) => Self::further(Run::after_first(call, shared)?),
            further => further,
        };
        let Self::Further(further) = self else { return Err(error) };
        let now = further.run.world().tick();
        Ok(further.run.failed(error, now))
    }
}

impl<S, R> Future for ResponseFuture<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut answer = self.as_mut().attempt(cx);
        while self.as_mut().goes_on(&mut answer) {
            answer = self.as_mut().attempt(cx);
        }
        if let Poll::Ready(Ok(replied)) = &mut answer {
            self.replied(replied);
        }
        answer
    }
}

impl<S, R> ResponseFuture<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError> + Clone,
{
    /// Polls the current attempt.
    fn attempt(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Replied<R>, ModelError>> {
        let mut this = self.project();
        loop {
            let next = match (this.state.as_mut().project(), &mut *this.course) {
                (StateProjection::Asking(future), _) => return future.poll(cx),
                (StateProjection::Readying(call), Course::Further(further)) => {
                    let Further { run, inner } = &mut **further;
                    let instance = inner.take().or_else(|| run.instance());
                    let Some(instance) = instance.map(|instance| inner.insert(instance)) else {
                        return ended();
                    };
                    if let Err(error) = ready!(instance.poll_ready(cx)) {
                        // A failure like that of a model; the service instance must not be used again.
                        *inner = None;
                        return Poll::Ready(Err(error));
                    }
                    let Some(mut call) = call.take() else { return ended() };
                    // The clock is read again, since becoming ready may have taken time.
                    call.now = None;
                    State::Asking(instance.call(call))
                }
                (StateProjection::Parked(wait), Course::Further(further)) => {
                    ready!(Pin::new(&mut wait.sleep).poll(cx));
                    let (place, now) = (wait.place.take(), further.run.world().tick());
                    State::after(further.run.woke(place, now))
                }
                (StateProjection::Ended(error), _) => {
                    return error.take().map_or_else(ended, |error| Poll::Ready(Err(error)));
                }
                _ => return ended(),
            };
            this.state.set(next);
        }
    }

    /// Whether another model is called after `answer`. If not, `answer` is the result of the call.
    fn goes_on(self: Pin<&mut Self>, answer: &mut Poll<Result<Replied<R>, ModelError>>) -> bool {
        let mut this = self.project();
        if !matches!(answer, Poll::Ready(Err(_))) || matches!(*this.state, State::Ended(_)) {
            return false;
        }
        let Poll::Ready(Err(error)) = mem::replace(answer, Poll::Pending) else { return false };
        // The attempt's share of the call is dropped first, so that naming the next model copies less.
        this.state.set(State::Ended(None));
        match this.course.failed(error) {
            Ok(next) => {
                this.state.set(State::after(next));
                true
            }
            Err(error) => {
                *answer = Poll::Ready(Err(error));
                false
            }
        }
    }

    /// Completes `replied`, and drops the state of the attempt.
    fn replied(self: Pin<&mut Self>, replied: &mut Replied<R>) {
        let mut this = self.project();
        this.course.replied(replied);
        this.state.set(State::Ended(None));
    }
}

impl<F> State<F> {
    /// The state that carries out `next`.
    fn after(next: Next) -> Self {
        match next {
            Next::Ask(call) => Self::Readying(Some(call)),
            Next::Wait(wait) => Self::Parked(wait),
            Next::End(error) => Self::Ended(Some(error)),
        }
    }
}

fn ended<R>() -> Poll<Result<Replied<R>, ModelError>> {
    Poll::Ready(Err(ModelError::polled_again()))
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("fallback::ResponseFuture").finish_non_exhaustive()
    }
}
