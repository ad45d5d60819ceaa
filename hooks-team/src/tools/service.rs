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
    DecideArgs, MemoryArgs, NoRouter, RouteArgs, SkillArgs, SquadToolsLayer, StatusArgs, TaskSent, Tool,
    ToolError, ToolOutput,
};

/// Handles calls of the team's tools and passes all others on. A failed call returns a result with an error
/// that the model reads; errors of the service itself are those of the host's tools.
///
/// Always ready: only the call shows which tool it needs, so a clone of the host's tools is made ready then.
/// Calls of the team's tools do not wait for the host's tools.
#[derive(Clone, Debug)]
pub struct SquadTools<S, R = NoRouter> {
    tools: SquadToolsLayer<R>,
    inner: S,
}

/// Tools of a host without other tools.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOtherTools;

impl<S, R> SquadTools<S, R> {
    /// Puts `tools` in front of `inner`.
    pub const fn new(tools: SquadToolsLayer<R>, inner: S) -> Self {
        Self { tools, inner }
    }

    /// Returns the host's tools.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns the host's tools, mutably.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Returns the host's tools and drops the team's.
    pub fn into_inner(self) -> S {
        self.inner
    }

    /// Parses the arguments of `call` and calls `tool`.
    fn ask<A, T>(&self, tool: T, call: ToolCall) -> HookFuture<'static, ToolResult>
    where
        A: Tool,
        T: Service<A, Response = ToolOutput, Error = ToolError, Future: Send> + Send + 'static,
    {
        let root = self.tools.team.root().to_owned();
        HookFuture::later(async move {
            let answer = async {
                let args = A::parse(call.args)?;
                tool.oneshot(args).await
            };
            match answer.await {
                Ok(ToolOutput { text, wrote }) => ToolResult::ok(text).wrote(wrote),
                Err(error) => ToolResult::failed(error.for_model(&root)),
            }
        })
    }
}

impl<S, R> Service<ToolCall> for SquadTools<S, R>
where
    S: Service<ToolCall, Response = ToolResult> + Clone,
    R: Service<Route, Response: Into<TaskSent> + Send, Error: Into<BoxError>, Future: Send>
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
