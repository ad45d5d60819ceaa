//! The future of a [`Deadline`](super::Deadline).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;

use crate::call::{Replied, Timing};
use crate::error::{ErrorKind, ModelError};
use crate::world::World;

/// The answer, or an error at the deadline.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    #[pin]
    state: State<F>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    Calling {
        #[pin]
        inner: F,
        limit: Limit,
    },
    Refused,
}

/// The time until which the answer is waited for.
struct Limit {
    deadline: Tick,
    timing: Timing,
    world: Arc<World>,
    timer: Option<HookFuture<'static, ()>>,
}

impl<F> ResponseFuture<F> {
    pub(super) const fn calling(inner: F, deadline: Tick, timing: Timing, world: Arc<World>) -> Self {
        Self { state: State::Calling { inner, limit: Limit { deadline, timing, world, timer: None } } }
    }

    pub(super) const fn refused() -> Self {
        Self { state: State::Refused }
    }
}

impl<F, R> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Replied<R>, ModelError>>,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Calling { inner, limit } => {
                let mut answer = inner.poll(cx);
                if answer.is_pending() {
                    answer = limit.poll(cx);
                }
                answer
            }
            StateProjection::Refused => late("the deadline of the call had passed before a model was asked"),
        }
    }
}

impl Limit {
    fn poll<R>(&mut self, cx: &mut Context<'_>) -> Poll<Result<R, ModelError>> {
        // The timer of the attempt below fires by the deadline, so a second timer is not needed.
        if self.timer.is_none() && self.timing.is_timed() {
            return Poll::Pending;
        }
        let Self { deadline, world, timer, .. } = self;
        ready!(Pin::new(timer.get_or_insert_with(|| world.sleep_until(*deadline))).poll(cx));
        late("there was no answer by the deadline of the call")
    }
}

fn late<R>(words: &'static str) -> Poll<Result<R, ModelError>> {
    Poll::Ready(Err(ModelError::new(ErrorKind::DeadlineExceeded, words)))
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("deadline::ResponseFuture").finish_non_exhaustive()
    }
}
