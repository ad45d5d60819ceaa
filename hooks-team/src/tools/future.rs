//! The future of [`SquadTools`](super::SquadTools).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::drivers::ToolResult;
use pin_project::pin_project;

/// One of the team's tools, or the host's own.
#[pin_project]
#[derive(Debug)]
pub struct ResponseFuture<F> {
    #[pin]
    state: State<F>,
}

#[pin_project(project = Projected)]
#[derive(Debug)]
enum State<F> {
    Team(HookFuture<'static, ToolResult>),
    Inner(#[pin] F),
}

impl<F> ResponseFuture<F> {
    pub(super) const fn team(future: HookFuture<'static, ToolResult>) -> Self {
        Self { state: State::Team(future) }
    }

    pub(super) const fn inner(future: F) -> Self {
        Self { state: State::Inner(future) }
    }
}

impl<F, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<ToolResult, E>>,
{
    type Output = Result<ToolResult, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            Projected::Team(future) => Poll::Ready(Ok(ready!(Pin::new(future).poll(cx)))),
            Projected::Inner(future) => future.poll(cx),
        }
    }
}
