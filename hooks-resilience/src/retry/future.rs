//! The future of a [`Retry`](super::Retry).

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;
use tower_service::Service;

use super::again::{Again, again};
use super::kept::Kept;
use super::layer::Shared;
use crate::call::{Call, FailedAttempt, Replied};
use crate::error::{ErrorKind, ModelError};
use crate::spare::Spare;

/// The answer of a model, at the first attempt or a later one.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>> {
    #[pin]
    state: State<S::Future>,
    /// State for further attempts; `None` if the call was rejected.
    rest: Option<Rest<S>>,
}

/// State of a call that may be retried.
struct Rest<S> {
    kept: Kept,
    shared: Arc<Spare<S, Shared>>,
    /// Number of failures of this model for this call, earlier turns included.
    attempts: u32,
    /// History before the current attempt; `None` before the first retry. Boxed, because most calls need no
    /// retry.
    past: Option<Box<Past<S>>>,
}

/// History before the current attempt.
struct Past<S> {
    /// Service for further attempts; `None` before the first of them.
    inner: Option<S>,
    /// Failed attempts, in order, without the last one.
    failed: Vec<FailedAttempt>,
    /// Last error, with its time.
    last: Option<(ModelError, Tick)>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    /// The model answers.
    Asking(#[pin] F),
    /// Waits before the next attempt.
    Pausing(HookFuture<'static, ()>),
    /// The service is made ready.
    Readying,
    /// The call is complete.
    Ended(Option<ModelError>),
}

impl<S: Service<Call>> ResponseFuture<S> {
    pub(super) fn asking(future: S::Future, kept: Kept, shared: Arc<Spare<S, Shared>>) -> Self {
        let attempts = kept.tried();
        let rest = Rest { kept, shared, attempts, past: None };
        Self { state: State::Asking(future), rest: Some(rest) }
    }

    pub(super) fn refused(error: ModelError) -> Self {
        Self { state: State::Ended(Some(error)), rest: None }
    }
}

impl<S> Rest<S> {
    /// The pause before the next attempt, or the error if there will be no other.
    fn failed(&mut self, error: ModelError) -> Result<HookFuture<'static, ()>, ModelError> {
        let now = self.shared.health.world().tick();
        let mut past = self.past.take();
        if error.kind() == ErrorKind::NotAdmitted {
            // No request was sent, so the error before is more informative.
            let ready_at = error.ready_at();
            let last = past.as_mut().and_then(|past| past.last.take());
            return Err(up(last.map_or(error, |(last, _)| last), past, ready_at));
        }
        self.attempts = self.attempts.saturating_add(1);
        let Self { shared, kept, .. } = self;
        let call = kept.call(&shared.health);
        if let Some(past) = &mut past {
            past.note_last(call.model_name());
        }
        match again(call, &error, self.attempts, &shared.health, &shared.settings, now) {
            Again::Up(ready_at) => Err(up(error, past, ready_at)),
            Again::At(tick) => {
                let pause = shared.health.world().timer.sleep(tick.since(now));
                let past =
                    past.unwrap_or_else(|| Box::new(Past { inner: None, failed: Vec::new(), last: None }));
                self.past.insert(past).last = Some((error, now));
                Ok(pause)
            }
        }
    }

    /// Adds the failed attempts to `replied`.
    fn replied<R>(&mut self, replied: &mut Replied<R>) {
        if let Some(mut past) = self.past.take() {
            past.note_last(self.kept.call(&self.shared.health).model_name());
            past.failed.append(&mut replied.failed);
            replied.failed = past.failed;
        }
        // Reset, so that the receiver of the answer may send its call again.
        replied.call.retried = false;
        replied.call.set_tried(self.kept.tried());
    }
}

impl<S> Past<S> {
    /// Moves the last error to the earlier ones.
    fn note_last(&mut self, model: &str) {
        if let Some((mut error, at)) = self.last.take() {
            self.failed.append(&mut error.take_failed());
            self.failed.push(FailedAttempt::new(model, &error, at));
        }
    }
}

/// The error to return, with the failed attempts before it.
fn up<S>(error: ModelError, past: Option<Box<Past<S>>>, ready_at: Option<Tick>) -> ModelError {
    let error = match ready_at {
        Some(tick) => error.with_ready_at(tick),
        None => error,
    };
    match past {
        Some(past) if !past.failed.is_empty() => error.with_failed(past.failed),
        _ => error,
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
            let next = match this.state.as_mut().project() {
                StateProjection::Asking(future) => return future.poll(cx),
                StateProjection::Pausing(pause) => {
                    ready!(Pin::new(pause).poll(cx));
                    State::Readying
                }
                StateProjection::Readying => {
                    let Some(rest) = this.rest.as_mut() else { return ended() };
                    let Some(past) = rest.past.as_mut() else { return ended() };
                    let inner = past.inner.take().or_else(|| rest.shared.instance());
                    let Some(inner) = inner.map(|inner| past.inner.insert(inner)) else { return ended() };
                    if let Err(error) = ready!(inner.poll_ready(cx)) {
                        // A failure like that of a model; the service instance must not be used again.
                        past.inner = None;
                        return Poll::Ready(Err(error));
                    }
                    let mut call = rest.kept.call(&rest.shared.health).clone();
                    call.now = None;
                    call.set_tried(rest.attempts);
                    State::Asking(inner.call(call))
                }
                StateProjection::Ended(error) => {
                    return error.take().map_or_else(ended, |error| Poll::Ready(Err(error)));
                }
            };
            this.state.set(next);
        }
    }

    /// Whether there is another attempt after `answer`. If not, `answer` is the result of the call.
    fn goes_on(self: Pin<&mut Self>, answer: &mut Poll<Result<Replied<R>, ModelError>>) -> bool {
        let mut this = self.project();
        let (Poll::Ready(Err(_)), Some(rest)) = (&*answer, this.rest.as_mut()) else { return false };
        if matches!(*this.state, State::Ended(_)) {
            return false;
        }
        let Poll::Ready(Err(error)) = mem::replace(answer, Poll::Pending) else { return false };
        match rest.failed(error) {
            Ok(pause) => {
                this.state.set(State::Pausing(pause));
                true
            }
            Err(error) => {
                this.state.set(State::Ended(None));
                *answer = Poll::Ready(Err(error));
                false
            }
        }
    }

    /// Completes `replied`, and drops the state of the attempt.
    fn replied(self: Pin<&mut Self>, replied: &mut Replied<R>) {
        let mut this = self.project();
        if let Some(rest) = this.rest {
            rest.replied(replied);
        }
        this.state.set(State::Ended(None));
    }
}

fn ended<R>() -> Poll<Result<Replied<R>, ModelError>> {
    Poll::Ready(Err(ModelError::polled_again()))
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("retry::ResponseFuture").finish_non_exhaustive()
    }
}
