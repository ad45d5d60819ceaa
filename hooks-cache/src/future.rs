//! The future of a [`Cache`](super::Cache).

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_util::FutureExt;
use hooks_core::BoxError;
use hooks_core::drivers::{ToolCall, ToolResult};
use pin_project::pin_project;
use tower::ServiceExt;
use tower::util::Oneshot;
use tower_service::Service;

use super::result_cache::{Read, Ticket, Writing};

/// The answer to a call: ready at once, from a read that other calls may share, or from the tools.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<ToolCall>>(#[pin] State<S>);

#[pin_project(project = StateProjection)]
enum State<S: Service<ToolCall>> {
    /// Ready; `None` once the result is taken.
    Ready(Option<ToolResult>),
    Reading(#[pin] Read),
    /// A call in flight; results that it may change are not reused until it ends.
    Passed(#[pin] Oneshot<S, ToolCall>, Option<Writing>),
}

impl<S: Service<ToolCall>> ResponseFuture<S> {
    pub(super) const fn ready(result: ToolResult) -> Self {
        Self(State::Ready(Some(result)))
    }

    pub(super) const fn reading(read: Read) -> Self {
        Self(State::Reading(read))
    }

    pub(super) const fn passed(call: Oneshot<S, ToolCall>, writing: Option<Writing>) -> Self {
        Self(State::Passed(call, writing))
    }
}

impl<S> Future for ResponseFuture<S>
where
    S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>>,
{
    type Output = Result<ToolResult, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().0.project() {
            // Polled after completion: an error of the caller that must not look like an answer.
            StateProjection::Ready(result) => {
                result.take().map_or(Poll::Pending, |result| Poll::Ready(Ok(result)))
            }
            StateProjection::Reading(read) => {
                let answer = ready!(read.poll(cx));
                Poll::Ready(answer.map(Arc::unwrap_or_clone).map_err(Into::into))
            }
            StateProjection::Passed(call, writing) => {
                let answer = ready!(call.poll(cx));
                *writing = None;
                Poll::Ready(answer.map_err(Into::into))
            }
        }
    }
}

impl<S: Service<ToolCall>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("cache::ResponseFuture").finish_non_exhaustive()
    }
}

/// Error of a read, shared by all callers that waited for it.
#[derive(Clone, Debug)]
pub struct ReadError(Arc<BoxError>);

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

/// Runs a read and stores its result.
pub(super) async fn read<S>(tools: S, call: ToolCall, ticket: Ticket) -> Result<Arc<ToolResult>, ReadError>
where
    S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>>,
{
    match AssertUnwindSafe(tools.oneshot(call)).catch_unwind().await {
        Ok(Ok(result)) => {
            let result = Arc::new(result);
            ticket.keep(&result);
            Ok(result)
        }
        Ok(Err(error)) => Err(ReadError(Arc::new(error.into()))),
        Err(panic) => Err(ReadError(Arc::new(format!("the tool panicked: {}", text_of(&*panic)).into()))),
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no text")
}
