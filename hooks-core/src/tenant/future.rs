//! The future of a [`TenantService`](super::TenantService).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

pin_project! {
    /// Resolves to the answer of the tenant's stack.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<S: Service<HookRequest<E>>, E: Event> {
        #[pin]
        state: State<S, E>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<S: Service<HookRequest<E>>, E: Event> {
        Calling {
            #[pin]
            answer: Oneshot<S, HookRequest<E>>,
        },
        Refused {
            // `None` after it was taken.
            error: Option<HookError>,
        },
    }
}

impl<S: Service<HookRequest<E>>, E: Event> ResponseFuture<S, E> {
    pub(super) fn calling(answer: Oneshot<S, HookRequest<E>>) -> Self {
        Self { state: State::Calling { answer } }
    }

    pub(super) fn refused(error: HookError) -> Self {
        Self { state: State::Refused { error: Some(error) } }
    }
}

impl<S, E> Future for ResponseFuture<S, E>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Calling { answer } => answer.poll(cx),
            // The caller polled the future after it was ready. This bug must not look like an answer.
            StateProjection::Refused { error } => {
                error.take().map_or(Poll::Pending, |error| Poll::Ready(Err(error)))
            }
        }
    }
}

impl<S: Service<HookRequest<E>>, E: Event> std::fmt::Debug for ResponseFuture<S, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("tenant::ResponseFuture").finish_non_exhaustive()
    }
}
