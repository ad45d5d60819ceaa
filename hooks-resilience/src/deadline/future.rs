//! The future of a [`DeadlineService`](super::DeadlineService).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use pin_project::pin_project;

use crate::call::{Answered, Call};
use crate::error::{ErrorKind, ModelError};
use crate::world::World;

/// The answer, by the deadline.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F> {
    #[pin]
    state: State<F>,
    call: Call,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    Asked {
        #[pin]
        inner: F,
        world: Arc<World>,
        timer: Option<HookFuture<'static, ()>>,
    },
    Refused,
}

impl<F> ResponseFuture<F> {
    pub(super) fn asked(inner: F, call: Call, world: Arc<World>) -> Self {
        Self { state: State::Asked { inner, world, timer: None }, call }
    }

    pub(super) fn refused(call: Call) -> Self {
        Self { state: State::Refused, call }
    }
}

impl<F, R> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Answered<R>, ModelError>>,
{
    type Output = Result<Answered<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let words = match this.state.project() {
            StateProjection::Refused => "the deadline of the call had passed before anybody was asked",
            StateProjection::Asked { inner, world, timer } => {
                if let answer @ Poll::Ready(_) = inner.poll(cx) {
                    return answer;
                }
                // The attempt below wakes by the deadline: a second timer would be for nothing.
                if timer.is_none() && this.call.is_timed() {
                    return Poll::Pending;
                }
                let deadline = this.call.deadline.unwrap_or_default();
                ready!(Pin::new(timer.get_or_insert_with(|| world.sleep_until(deadline))).poll(cx));
                "there was no answer by the deadline of the call"
            }
        };
        Poll::Ready(Err(ModelError::new(ErrorKind::DeadlineExceeded, words)))
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("deadline::ResponseFuture").finish_non_exhaustive()
    }
}
