//! The future of a [`FailureService`](super::FailureService).

use std::future::Future;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::{FailureLayer, failed};
use crate::context::HookContext;
use crate::error::HookError;
use crate::event::Event;
use crate::future::HookFuture;
use crate::verdict::Reason;

pin_project! {
    /// Resolves to the answer of a guarded hook; never to an error.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E: Event> {
        #[pin]
        state: State<F>,
        context: Arc<HookContext>,
        layer: FailureLayer,
        of: PhantomData<fn() -> E>,
    }
}

pin_project! {
    #[project = StateProjection]
    #[derive(Debug)]
    enum State<F> {
        NotStarted {
            error: Option<HookError>,
        },
        Started {
            #[pin]
            inner: F,
            #[pin]
            deadline: Option<HookFuture<'static, ()>>,
        },
    }
}

impl<F, E: Event> ResponseFuture<F, E> {
    pub(super) fn new(started: Result<F, HookError>, context: Arc<HookContext>, layer: FailureLayer) -> Self {
        let sleep = || layer.deadline.as_ref().map(|(limit, timer)| timer.sleep(*limit));
        let deadline = catch_unwind(AssertUnwindSafe(sleep));
        let state = match (started, deadline) {
            (Ok(inner), Ok(deadline)) => State::Started { inner, deadline },
            (Ok(_), Err(panic)) => State::NotStarted { error: Some(HookError::from_panic(&*panic)) },
            (Err(error), _) => State::NotStarted { error: Some(error) },
        };
        Self { state, context, layer, of: PhantomData }
    }
}

impl<F, E> Future for ResponseFuture<F, E>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let answer = match this.state.project() {
            StateProjection::NotStarted { error } => Err(error
                .take()
                .unwrap_or_else(|| HookError::unavailable("it was asked again after it had answered"))),
            StateProjection::Started { inner, deadline } => {
                // A timer without a runtime panics as a hook can. Without the guard, the answer would never
                // come.
                let polled = catch_unwind(AssertUnwindSafe(|| match inner.poll(cx) {
                    Poll::Pending => deadline.as_pin_mut().map_or(Poll::Pending, |over| {
                        let limit = this.layer.deadline.as_ref().map(|(limit, _)| *limit).unwrap_or_default();
                        over.poll(cx).map(|()| Err(HookError::TimedOut { limit }))
                    }),
                    answer @ Poll::Ready(_) => answer,
                }));
                ready!(polled.unwrap_or_else(|panic| Poll::Ready(Err(HookError::from_panic(&*panic)))))
            }
        };
        Poll::Ready(Ok(answer.unwrap_or_else(|error| {
            let reason = Reason::failure(this.layer.hook.to_string(), &error);
            failed::<E>(this.context, reason, this.layer.opened)
        })))
    }
}
