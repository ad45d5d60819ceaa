//! `squad_route`: gives a task to another agent.

use std::convert::Infallible;
use std::task::{Context, Poll};

use hooks_core::event::{Priority, Route};
use hooks_core::{BoxError, HookFuture};
use schemars::JsonSchema;
use serde::Deserialize;
use tower::ServiceExt;
use tower_service::Service;

use super::{TaskSent, Tool, ToolError, ToolOutput, not_too_long};
use crate::Team;
use crate::text::one_line;

/// The arguments of `squad_route`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[non_exhaustive]
pub struct RouteArgs {
    /// Agent that should do the task: a name on the team.
    pub target_agent: String,
    /// Task to do.
    pub task: String,
    /// Urgency of the task; normal by default.
    #[serde(default)]
    pub priority: Priority,
    /// Information that the agent needs for the task.
    #[serde(default)]
    pub context: Option<String>,
}

/// Checks the target of a task and hands the task to the router `R`, which returns the session that got it.
///
/// A host passes a governed router ([`SessionRouter`](super::SessionRouter)), so that the `route` event fires and
/// hooks can deny it or change its target.
#[derive(Clone, Debug)]
pub struct RouteTask<R> {
    team: Team,
    router: Option<R>,
}

/// Router type of a host without a router.
#[derive(Clone, Copy, Debug)]
pub enum NoRouter {}

impl Tool for RouteArgs {
    const NAME: &'static str = "squad_route";
    const DESCRIPTION: &'static str = "Give a task to another agent of the team.";
}

impl RouteTask<NoRouter> {
    /// Makes a service that denies every task, with the reason.
    pub const fn unavailable(team: Team) -> Self {
        Self { team, router: None }
    }
}

impl<R> RouteTask<R> {
    /// Routes tasks of `team` through `router`.
    pub const fn new(team: Team, router: R) -> Self {
        Self { team, router: Some(router) }
    }

    /// Checks `args` and returns the route, if the target is an active agent.
    fn checked(&self, args: RouteArgs) -> Result<Route, ToolError> {
        if one_line(&args.task).is_empty() {
            return Err(ToolError::invalid("task", "it is empty; write what to do"));
        }
        not_too_long("task", &args.task)?;
        not_too_long("context", args.context.as_deref().unwrap_or_default())?;
        let agent = self.team.agent(&args.target_agent)?;
        if let Some(member) =
            self.team.roster()?.member(&args.target_agent).filter(|member| !member.is_active())
        {
            let reason = format!(
                "`{}` is `{}` in `team.md`; choose a member who is active",
                member.name, member.status
            );
            return Err(ToolError::invalid("targetAgent", reason));
        }
        let mut route = Route::new(agent.as_str(), args.task);
        (route.priority, route.context) = (args.priority, args.context);
        Ok(route)
    }
}

impl<R> Service<RouteArgs> for RouteTask<R>
where
    R: Service<Route, Response: Into<TaskSent> + Send, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    type Response = ToolOutput;
    type Error = ToolError;
    type Future = HookFuture<'static, Result<ToolOutput, ToolError>>;

    /// Always ready: a clone of the router is made ready after the task is checked.
    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, args: RouteArgs) -> Self::Future {
        let this = self.clone();
        HookFuture::later(async move {
            let route = this.checked(args)?;
            let unavailable =
                "this host routes no tasks (fan-out-deps-unavailable); do it yourself or ask the user";
            let router = this.router.ok_or(ToolError::Unavailable(unavailable))?;
            let (agent, priority) = (route.target_agent.clone(), route.priority);
            let sent = router.oneshot(route).await.map_err(|error| ToolError::Router(error.into()))?;
            let TaskSent { session, agent: other } = sent.into();
            let instead = other.as_ref().map(|_| format!(" instead of `{agent}`")).unwrap_or_default();
            let agent = other.unwrap_or(agent);
            Ok(ToolOutput::new(format!(
                "routed to `{agent}`{instead} in session `{session}`, priority {}",
                word(priority)
            )))
        })
    }
}

impl Service<Route> for NoRouter {
    type Response = String;
    type Error = Infallible;
    type Future = std::future::Pending<Result<String, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        match *self {}
    }

    fn call(&mut self, _route: Route) -> Self::Future {
        match *self {}
    }
}

const fn word(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Normal => "normal",
        Priority::High => "high",
        Priority::Critical => "critical",
    }
}
