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

/// What further attempts need.
struct Rest<S> {
    /// Whom further attempts ask; none before the first of them.
    inner: Option<S>,
    call: Call,
    shared: Arc<Spare<S, Shared>>,
    /// What failed here, in order, but for the last.
    failed: Vec<FailedAttempt>,
    /// What failed last, and when.
    last: Option<(ModelError, Tick)>,
    /// How often this model failed this call, in earlier turns too.
    attempts: u32,
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
        let attempts = call.tried;
        let rest = Rest { inner: None, call, shared, failed: Vec::new(), last: None, attempts };
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
        if error.kind() == ErrorKind::Closed {
            // Nobody was asked: what tells why is the failure before.
            let ready_at = error.ready_again();
            let error = self.last.take().map_or(error, |(last, _)| last);
            return Err(self.up(error, ready_at));
        }
        self.note_last();
        self.attempts = self.attempts.saturating_add(1);
        let Self { shared, call, .. } = self;
        match again(call, &error, self.attempts, &shared.health, &shared.settings, now) {
            Again::Up(ready_at) => Err(self.up(error, ready_at)),
            Again::At(tick) => {
                let pause = shared.health.world().timer.sleep(tick.since(now));
                self.last = Some((error, now));
                Ok(pause)
            }
        }
    }

    /// Puts what failed last with what failed before.
    fn note_last(&mut self) {
        if let Some((mut error, at)) = self.last.take() {
            self.failed.append(&mut error.take_failed());
            self.failed.push(FailedAttempt::new(Arc::<str>::from(self.call.model_name()), &error, at));
        }
    }

    fn up(&mut self, error: ModelError, ready_at: Option<Tick>) -> ModelError {
        let error = match ready_at {
            Some(tick) => error.ready_at(tick),
            None => error,
        };
        match self.failed.is_empty() {
            true => error,
            false => error.after(std::mem::take(&mut self.failed)),
        }
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
            let next = match this.state.as_mut().project() {
                StateProjection::Asking(future) => match ready!(future.poll(cx)) {
                    Ok(mut answered) => {
                        rest.note_last();
                        if !rest.failed.is_empty() {
                            rest.failed.append(&mut answered.failed);
                            answered.failed = std::mem::take(&mut rest.failed);
                        }
                        // The answer's call may be sent again by whoever gets it.
                        answered.call.retried = false;
                        answered.call.tried = rest.call.tried;
                        return Poll::Ready(Ok(answered));
                    }
                    Err(error) => State::Pausing(rest.failed(error)?),
                },
                StateProjection::Pausing(pause) => {
                    ready!(Pin::new(pause).poll(cx));
                    State::Readying
                }
                StateProjection::Readying => {
                    let inner = rest.inner.take().or_else(|| rest.shared.instance());
                    let Some(inner) = inner.map(|inner| rest.inner.insert(inner)) else { return ended() };
                    ready!(inner.poll_ready(cx))?;
                    let mut call = rest.call.clone();
                    call.now = None;
                    call.tried = rest.attempts;
                    State::Asking(inner.call(call))
                }
                StateProjection::Ended(_) => return ended(),
            };
            this.state.set(next);
        }
    }
}

/// It was polled after it had answered.
fn ended<R>() -> Poll<Result<Answered<R>, ModelError>> {
    Poll::Ready(Err(ModelError::new(ErrorKind::Unknown, "it was asked again after it had answered")))
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("retry::ResponseFuture").finish_non_exhaustive()
    }
}
