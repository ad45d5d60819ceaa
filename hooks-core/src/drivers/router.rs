//! The driver of tasks that are routed to an agent.

use std::sync::Arc;
use std::task::{Context, Poll};

use tower::ServiceExt;
use tower_service::Service;

use super::moment::Moment;
use super::refusal;
use crate::context::HookContext;
use crate::error::{BoxError, HookError};
use crate::event::{ErrorOccurred, ErrorType, Route};
use crate::future::HookFuture;
use crate::inner_accessors;
use crate::outcome::{Decision, Judged, Recovery};
use crate::set::{EventDecision, Live};

/// A task to route, with its context.
#[derive(Clone, Debug)]
pub struct RouteRequest {
    /// Context of the task.
    pub context: Arc<HookContext>,
    /// The task and its target.
    pub route: Route,
}

/// Outcome of a routing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Routed<T> {
    /// The task was sent to the agent that the judged route names.
    Sent(Route, T, Decision<Route>),
    /// The task was not routed, for this reason.
    Denied(String, Decision<Route>),
    /// Routing failed, with the error and the proposals of the hooks.
    Failed(String, Recovery),
}

/// Governs a router `S`. Hooks on `route` decide, and may set another target; a failure fires
/// `error_occurred` and `notification`. An ask counts as a refusal. The service is always ready: it drives
/// the readiness of a clone of the router after the task was allowed.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::drivers::{RouteRequest, Routed, Router};
/// use hooks_core::event::Route;
/// use hooks_core::{BoxError, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use tower::{ServiceExt, service_fn};
///
/// let busy = policy_fn("busy", |request: &HookRequest<Route>| match &*request.event().target_agent {
///     "reviewer" => Verdict::deny(Reason::new("busy", "agent", "the reviewer is busy")),
///     _ => Verdict::NO_OPINION,
/// });
/// let send = service_fn(|route: Route| async move { Ok::<_, BoxError>(format!("sent to {}", route.target_agent)) });
/// let router = Router::new(Hooks::builder().policy(busy).build(), send);
/// let context = Arc::new(HookContext::new("session-1", "lead"));
///
/// # futures_util::FutureExt::now_or_never(async {
/// let route = |agent| RouteRequest { context: Arc::clone(&context), route: Route::new(agent, "look at it") };
/// let sent = router.clone().oneshot(route("backend")).await.expect("an answer");
/// assert!(matches!(sent, Routed::Sent(_, text, _) if text == "sent to backend"));
/// let denied = router.oneshot(route("reviewer")).await.expect("an answer");
/// assert!(matches!(denied, Routed::Denied(why, _) if why == "the reviewer is busy"));
/// # }).expect("no hook waits");
/// ```
///
/// Customised: a hook sends the tasks of one agent to another, and the answer has the target that was used.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::drivers::{RouteRequest, Routed, Router};
/// use hooks_core::event::Route;
/// use hooks_core::{BoxError, HookContext, HookError, HookRequest, Hooks, Transform};
/// use tower::{ServiceExt, service_fn};
///
/// /// Takes the tasks of a colleague who is away.
/// struct Deputy;
///
/// impl Transform<Route> for Deputy {
///     fn name(&self) -> &str {
///         "deputy"
///     }
///
///     fn transform(&self, request: &HookRequest<Route>) -> Result<Option<String>, HookError> {
///         Ok((request.event().target_agent == "reviewer").then(|| "architect".to_owned()))
///     }
/// }
///
/// let send = service_fn(|route: Route| async move { Ok::<_, BoxError>(format!("sent to {}", route.target_agent)) });
/// let router = Router::new(Hooks::builder().transform(Deputy).build(), send);
///
/// # futures_util::FutureExt::now_or_never(async {
/// let context = Arc::new(HookContext::new("session-1", "lead"));
/// let routed = router.oneshot(RouteRequest { context, route: Route::new("reviewer", "look at it") }).await;
/// let Ok(Routed::Sent(route, text, _)) = routed else { panic!("{routed:?}") };
/// assert_eq!((&*route.target_agent, &*text), ("architect", "sent to architect"));
/// # }).expect("no hook waits");
/// ```
#[derive(Clone, Debug)]
pub struct Router<S> {
    router: S,
    hooks: Live,
}

impl<S> Router<S> {
    /// Governs `router` by `hooks`.
    pub fn new(hooks: impl Into<Live>, router: S) -> Self {
        Self { router, hooks: hooks.into() }
    }

    inner_accessors!(router: S, "The router");
}

impl<S> Service<RouteRequest> for Router<S>
where
    S: Service<Route, Error: Into<BoxError>, Future: Send, Response: Send> + Clone + Send + 'static,
{
    type Response = Routed<S::Response>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<Self::Response, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: RouteRequest) -> Self::Future {
        let router = self.router.clone();
        let moment = Moment::new(self.hooks.snapshot(), request.context.for_call(None));
        HookFuture::later(async move {
            let EventDecision { request, outcome } = moment.gate(request.route).await;
            if !outcome.goes_ahead() {
                return Ok(Routed::Denied(refusal(outcome.text_for_agent()), outcome));
            }
            let route = request.event().clone();
            let sent = router.oneshot(route.clone()).await.map_err(|error| error.into().to_string());
            match sent {
                Ok(sent) => Ok(Routed::Sent(route, sent, outcome)),
                Err(error) => {
                    let recovery = moment.fail(ErrorOccurred::new(error.clone(), ErrorType::Unknown)).await;
                    Ok(Routed::Failed(error, recovery))
                }
            }
        })
    }
}
