//! The router of a host for one session: the `route` event fires for each task.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::drivers::{RouteRequest, Routed, Router};
use hooks_core::event::Route;
use hooks_core::{BoxError, HookContext, HookFuture};
use tower::ServiceExt;
use tower_service::Service;

/// A task that a router sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskSent {
    /// Session that got the task.
    pub session: String,
    /// Agent that got the task, if it is not the target.
    pub agent: Option<String>,
}

impl TaskSent {
    /// A task that `session` got.
    pub fn to_session(session: impl Into<String>) -> Self {
        Self { session: session.into(), agent: None }
    }
}

impl From<String> for TaskSent {
    fn from(session: String) -> Self {
        Self::to_session(session)
    }
}

impl From<&str> for TaskSent {
    fn from(session: &str) -> Self {
        Self::to_session(session)
    }
}

/// A governed router for the tasks of one session: [`SquadToolsLayer::with_router`](super::SquadToolsLayer::with_router)
/// takes it. Hooks on `route` may deny a task or give it to another agent; the model reads which.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::drivers::{Router, ToolCall};
/// use hooks_core::event::Route;
/// use hooks_core::testing::FakeDisk;
/// use hooks_core::{BoxError, Environment, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use hooks_team::files::NewMember;
/// use hooks_team::tools::{NoOtherTools, SessionRouter, SquadToolsLayer};
/// use hooks_team::{NewTeam, Team};
/// use serde_json::json;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # futures_util::future::FutureExt::now_or_never(async {
/// let disk = FakeDisk::default().with_directory("/repo");
/// let team = Team::new(Arc::new(disk), "/repo/.squad", &Environment::detached());
/// let tester = NewMember { name: "Tester".into(), role: "Tests".into() };
/// team.init(&NewTeam { members: vec![tester], ..NewTeam::default() })?;
///
/// let busy = policy_fn("busy", |_: &HookRequest<Route>| Verdict::deny(Reason::new("busy", "all", "all are busy")));
/// let send = service_fn(|route: Route| async move { Ok::<_, BoxError>(format!("session of {}", route.target_agent)) });
/// let router = Router::new(Hooks::builder().policy(busy).build(), send);
/// let context = Arc::new(HookContext::new("session-1", "lead"));
/// let tools = SquadToolsLayer::new(team).with_router(SessionRouter::new(router, context)).layer(NoOtherTools);
///
/// let task = ToolCall::new("squad_route", json!({"targetAgent": "Tester", "task": "test the API"}));
/// assert_eq!(tools.oneshot(task).await?.error.as_deref(), Some("the task was not routed: all are busy"));
/// # Ok::<_, BoxError>(()) }).expect("nothing waits here")?;
/// # Ok::<_, BoxError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionRouter<S> {
    router: Router<S>,
    context: Arc<HookContext>,
}

impl<S> SessionRouter<S> {
    /// Routes tasks of the session of `context` with `router`.
    pub fn new(router: Router<S>, context: Arc<HookContext>) -> Self {
        Self { router, context }
    }
}

impl<S> Service<Route> for SessionRouter<S>
where
    S: Service<Route, Response: Into<TaskSent> + Send, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + 'static,
{
    type Response = TaskSent;
    type Error = BoxError;
    type Future = HookFuture<'static, Result<TaskSent, BoxError>>;

    /// Always ready: the governed router is.
    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, route: Route) -> Self::Future {
        let (router, context) = (self.router.clone(), Arc::clone(&self.context));
        HookFuture::later(async move {
            let asked = route.target_agent.clone();
            match router.oneshot(RouteRequest { context, route }).await? {
                Routed::Sent(route, sent, _) => {
                    let sent = sent.into();
                    let other = Some(route.target_agent).filter(|agent| *agent != asked);
                    Ok(TaskSent { agent: sent.agent.or(other), ..sent })
                }
                Routed::Denied(reason, _) | Routed::Failed(reason, _) => Err(reason.into()),
                _ => Err("the router gave an unknown answer".into()),
            }
        })
    }
}
