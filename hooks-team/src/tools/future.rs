//! The future of [`SquadTools`](super::SquadTools).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::drivers::{ToolCall, ToolResult};
use pin_project::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

/// Future of a team tool, or of the host's own tool, which is made ready first.
#[pin_project]
pub struct ResponseFuture<S: Service<ToolCall>> {
    #[pin]
    state: State<S>,
}

#[pin_project(project = Projected)]
enum State<S: Service<ToolCall>> {
    Team(HookFuture<'static, ToolResult>),
    Host(#[pin] Oneshot<S, ToolCall>),
}

impl<S: Service<ToolCall>> ResponseFuture<S> {
    pub(super) const fn team(future: HookFuture<'static, ToolResult>) -> Self {
        Self { state: State::Team(future) }
    }

    pub(super) const fn host(future: Oneshot<S, ToolCall>) -> Self {
        Self { state: State::Host(future) }
    }
}

impl<S> Future for ResponseFuture<S>
where
    S: Service<ToolCall, Response = ToolResult>,
{
    type Output = Result<ToolResult, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            Projected::Team(future) => Poll::Ready(Ok(ready!(Pin::new(future).poll(cx)))),
            Projected::Host(future) => future.poll(cx),
        }
    }
}

impl<S: Service<ToolCall>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state {
            State::Team(_) => "ResponseFuture::Team",
            State::Host(_) => "ResponseFuture::Host",
        })
    }
}
