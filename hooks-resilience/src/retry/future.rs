//! The future of a [`Retry`](super::Retry).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;
use tower_service::Service;

use super::again::{Again, again};
use super::layer::Shared;
use crate::call::{Answered, Call, FailedAttempt};
use crate::error::{ErrorKind, ModelError};
use crate::spare::Spare;

/// The answer of a model, at the first attempt or a later one.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>> {
    #[pin]
    state: State<S::Future>,
    /// `None` once refused.
    rest: Option<Rest<S>>,
}

/// What a call needs that may be tried again.
struct Rest<S> {
    call: Call,
    shared: Arc<Spare<S, Shared>>,
    /// How often this model failed this call, in earlier turns too.
    attempts: u32,
    /// None before it is tried again. Boxed: most calls are not.
    past: Option<Box<Past<S>>>,
}

/// What came before the attempt that is made.
struct Past<S> {
    /// Whom further attempts ask; none before the first of them.
    inner: Option<S>,
    /// What failed here, in order, but for the last.
    failed: Vec<FailedAttempt>,
    /// What failed last, and when.
    last: Option<(ModelError, Tick)>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    /// The model is asked.
    Asking(#[pin] F),
    /// A pause, after which it is asked again.
    Pausing(HookFuture<'static, ()>),
    /// It is made ready.
    Readying,
    /// Nothing is to be done.
    Ended(Option<ModelError>),
}

impl<S: Service<Call>> ResponseFuture<S> {
    pub(super) fn asking(future: S::Future, call: Call, shared: Arc<Spare<S, Shared>>) -> Self {
        let attempts = call.tried();
        let rest = Rest { call, shared, attempts, past: None };
        Self { state: State::Asking(future), rest: Some(rest) }
    }

    pub(super) fn refused(error: ModelError) -> Self {
        Self { state: State::Ended(Some(error)), rest: None }
    }
}

impl<S> Rest<S> {
    /// The pause before the next attempt; the error where there is none.
    fn failed(&mut self, error: ModelError) -> Result<HookFuture<'static, ()>, ModelError> {
        let now = self.shared.health.world().tick();
        let mut past = self.past.take();
        if error.kind() == ErrorKind::NotAdmitted {
            // Nobody was asked: what tells why is the failure before.
            let ready_at = error.ready_at();
            let last = past.as_mut().and_then(|past| past.last.take());
            return Err(up(last.map_or(error, |(last, _)| last), past, ready_at));
        }
        if let Some(past) = &mut past {
            past.note_last(self.call.model_name());
        }
        self.attempts = self.attempts.saturating_add(1);
        let Self { shared, call, .. } = self;
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

    /// Tells `answered` what failed before it.
    fn answered<R>(&mut self, answered: &mut Answered<R>) {
        if let Some(mut past) = self.past.take() {
            past.note_last(self.call.model_name());
            past.failed.append(&mut answered.failed);
            answered.failed = past.failed;
        }
        // The answer's call may be sent again by whoever gets it.
        answered.call.retried = false;
        answered.call.set_tried(self.call.tried());
    }
}

impl<S> Past<S> {
    /// Puts what failed last with what failed before.
    fn note_last(&mut self, model: &str) {
        if let Some((mut error, at)) = self.last.take() {
            self.failed.append(&mut error.take_failed());
            self.failed.push(FailedAttempt::new(model, &error, at));
        }
    }
}

/// The error that goes up, and what failed before it.
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
    S: Service<Call, Response = Answered<R>, Error = ModelError> + Clone,
{
    type Output = Result<Answered<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let Some(rest) = this.rest.as_mut() else {
                let StateProjection::Ended(error) = this.state.project() else { return ended() };
                return error.take().map_or_else(ended, |error| Poll::Ready(Err(error)));
            };
            let pause = match this.state.as_mut().project() {
                StateProjection::Asking(future) => match ready!(future.poll(cx)) {
                    Ok(mut answered) => {
                        rest.answered(&mut answered);
                        this.state.set(State::Ended(None));
                        return Poll::Ready(Ok(answered));
                    }
                    Err(error) => rest.failed(error),
                },
                StateProjection::Pausing(pause) => {
                    ready!(Pin::new(pause).poll(cx));
                    this.state.set(State::Readying);
                    continue;
                }
                StateProjection::Readying => {
                    let Some(past) = rest.past.as_mut() else { return ended() };
                    let inner = past.inner.take().or_else(|| rest.shared.instance());
                    let Some(inner) = inner.map(|inner| past.inner.insert(inner)) else { return ended() };
                    match ready!(inner.poll_ready(cx)) {
                        Ok(()) => {
                            let mut call = rest.call.clone();
                            call.now = None;
                            call.set_tried(rest.attempts);
                            let future = inner.call(call);
                            this.state.set(State::Asking(future));
                            continue;
                        }
                        // A failure of the model like others; the instance is of no use any more.
                        Err(error) => {
                            past.inner = None;
                            rest.failed(error)
                        }
                    }
                }
                StateProjection::Ended(_) => return ended(),
            };
            match pause {
                Ok(pause) => this.state.set(State::Pausing(pause)),
                Err(error) => {
                    this.state.set(State::Ended(None));
                    return Poll::Ready(Err(error));
                }
            }
        }
    }
}

fn ended<R>() -> Poll<Result<Answered<R>, ModelError>> {
    Poll::Ready(Err(ModelError::polled_again()))
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("retry::ResponseFuture").finish_non_exhaustive()
    }
}
