use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use hooks_core::drivers::{ToolCall, ToolResult};
use hooks_core::event::Route;
use hooks_core::{BoxError, HookFuture};
use tower::ServiceExt;
use tower_service::Service;

use super::future::ResponseFuture;
use super::{
    Answer, DecideArgs, MemoryArgs, NoRouter, RouteArgs, SkillArgs, SquadToolsLayer, StatusArgs, Tool,
    ToolError,
};

/// Answers calls of the team's tools and passes all others on. A call that goes wrong is a result with an error, which
/// the model reads; the service's own errors are those of the host's tools.
///
/// Always ready: which tool is called is known with the call only, so a clone of the host's tools is made ready then.
/// The team's own do not wait for them.
#[derive(Clone, Debug)]
pub struct SquadTools<S, R = NoRouter> {
    tools: SquadToolsLayer<R>,
    inner: S,
}

/// The tools of a host that has no others.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOtherTools;

impl<S, R> SquadTools<S, R> {
    /// `tools` in front of `inner`.
    pub const fn new(tools: SquadToolsLayer<R>, inner: S) -> Self {
        Self { tools, inner }
    }

    /// The host's tools.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The host's tools, to change.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// The host's tools alone.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Calls `tool` with what `call` gives.
    fn ask<A, T>(&self, tool: T, call: ToolCall) -> HookFuture<'static, ToolResult>
    where
        A: Tool,
        T: Service<A, Response = Answer, Error = ToolError, Future: Send> + Send + 'static,
    {
        let root = self.tools.team.root().to_owned();
        HookFuture::later(async move {
            let answer = async {
                let args = A::parse(call.args)?;
                tool.oneshot(args).await
            };
            match answer.await {
                Ok(Answer { text, wrote }) => ToolResult::ok(text).wrote(wrote),
                Err(error) => ToolResult::failed(error.for_model(&root)),
            }
        })
    }
}

impl<S, R> Service<ToolCall> for SquadTools<S, R>
where
    S: Service<ToolCall, Response = ToolResult> + Clone,
    R: Service<Route, Response: Into<String> + Send, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    type Response = ToolResult;
    type Error = S::Error;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let tools = &self.tools;
        ResponseFuture::team(match &*call.name {
            DecideArgs::NAME => self.ask::<DecideArgs, _>(tools.decide.clone(), call),
            MemoryArgs::NAME => self.ask::<MemoryArgs, _>(tools.remember.clone(), call),
            SkillArgs::NAME => self.ask::<SkillArgs, _>(tools.skill.clone(), call),
            StatusArgs::NAME => self.ask::<StatusArgs, _>(tools.status.clone(), call),
            RouteArgs::NAME => self.ask::<RouteArgs, _>(tools.route.clone(), call),
            _ => return ResponseFuture::host(self.inner.clone().oneshot(call)),
        })
    }
}

impl Service<ToolCall> for NoOtherTools {
    type Response = ToolResult;
    type Error = Infallible;
    type Future = Ready<Result<ToolResult, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        ready(Ok(ToolResult::failed(format!("there is no tool `{}`", call.name))))
    }
}
