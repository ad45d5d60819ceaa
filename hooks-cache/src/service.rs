use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use hooks_core::drivers::{ToolCall, ToolResult};
use hooks_core::{BoxError, HookContext, inner_accessors};
use tower::ServiceExt;
use tower_service::Service;

use super::future::{ResponseFuture, read};
use super::result_cache::{CallPlan, ResultCache, Ticket};

/// Answers a call with the result of an identical earlier call if nothing can have changed it; otherwise
/// calls the tools.
///
/// Put it inside of [`Govern`](hooks_core::Govern), around all the tools of a session: a call that bypasses
/// it can change things without its knowledge. Always ready, because a reused result needs no capacity; if a
/// tool runs, a clone of the inner service is made ready first. A read is boxed once, so that other callers
/// can wait for it, and runs as long as one of them waits. An error or a panic of the tool is an error for
/// all waiting callers, and is not stored.
#[derive(Clone, Debug)]
pub struct Cache<S> {
    inner: S,
    cache: ResultCache,
    context: Arc<HookContext>,
}

impl<S> Cache<S> {
    /// Reuses the results of `inner` in the session of `context`.
    pub const fn new(inner: S, cache: ResultCache, context: Arc<HookContext>) -> Self {
        Self { inner, cache, context }
    }

    inner_accessors!(inner: S, "The tools");
}

impl<S> Service<ToolCall> for Cache<S>
where
    S: Service<ToolCall, Response = ToolResult, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
{
    type Response = ToolResult;
    type Error = BoxError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        match self.cache.ask(&self.context, &call) {
            CallPlan::Reuse(result) => ResponseFuture::ready(ToolResult::clone(&result)),
            CallPlan::Pass(writing) => ResponseFuture::passed(self.inner.clone().oneshot(call), writing),
            CallPlan::Read(ticket) => {
                let entering = ticket.entering();
                let own = read(self.inner.clone(), call, ticket).boxed().shared();
                ResponseFuture::reading(Ticket::enter(&self.cache, &entering, own))
            }
        }
    }
}
