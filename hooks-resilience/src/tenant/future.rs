//! The future of a [`PerTenant`](super::PerTenant).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

use crate::call::Call;
use crate::error::ModelError;

/// The answer of a tenant's stack.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<T: Service<Call>> {
    #[pin]
    state: State<T>,
}

#[pin_project(project = StateProjection)]
enum State<T: Service<Call>> {
    Calling(#[pin] Oneshot<T, Call>),
    Refused(Option<ModelError>),
}

impl<T: Service<Call>> ResponseFuture<T> {
    pub(super) const fn calling(calling: Oneshot<T, Call>) -> Self {
        Self { state: State::Calling(calling) }
    }

    pub(super) const fn refused(error: ModelError) -> Self {
        Self { state: State::Refused(Some(error)) }
    }
}

impl<T: Service<Call, Error = ModelError>> Future for ResponseFuture<T> {
    type Output = Result<T::Response, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Calling(calling) => calling.poll(cx),
            StateProjection::Refused(error) => {
                Poll::Ready(Err(error.take().unwrap_or_else(ModelError::polled_again)))
            }
        }
    }
}

impl<T: Service<Call>> fmt::Debug for ResponseFuture<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("tenant::ResponseFuture").finish_non_exhaustive()
    }
}
