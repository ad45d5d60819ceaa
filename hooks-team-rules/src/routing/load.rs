//! Open tasks of agents, which limit what is routed to them.

use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::event::{PreToolUse, Route};
use hooks_core::{
    BoxError, DecideLayer, DeciderOutcome, Decision, FailureLayer, HookContext, HookError, HookFuture,
    HookRequest, HooksBuilder, Settle, Stage, Verdict,
};
use tower_layer::Layer;
use tower_service::Service;

use super::NAME;
use super::rules::{RouteRules, Task};
use crate::agents::is_same;

/// Source of the open tasks of agents.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::event::Route;
/// use hooks_core::{BoxError, HookContext, HookFuture, Hooks, Judged};
/// use hooks_team_rules::RouteRules;
/// use hooks_team_rules::routing::{OpenTasks, RoutesConfig, Routing};
///
/// /// Agents with one open task each.
/// struct Busy(Vec<String>);
///
/// impl OpenTasks for Busy {
///     fn agents(&self, _: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>> {
///         HookFuture::now(Ok(self.0.clone()))
///     }
/// }
///
/// let config = RoutesConfig { most: Some(1), ..RoutesConfig::default() };
/// let open = Arc::new(Busy(vec!["ada".to_owned()]));
/// let hooks = Routing::new(RouteRules::new(&config)?).counting(open).add_to(Hooks::builder()).build();
/// # futures_util::future::FutureExt::now_or_never(async {
/// let goes_ahead = async |agent: &str| {
///     let task = Route::new(agent, "draw a logo");
///     hooks.on(HookContext::new("session-1", "lead")).route(task).await.outcome.goes_ahead()
/// };
/// assert!(!goes_ahead("ada").await);
/// assert!(goes_ahead("bob").await);
/// # }).expect("no hook waits");
/// # Ok::<(), hooks_core::PolicyErrors>(())
/// ```
pub trait OpenTasks: Send + Sync {
    /// Returns the agent of each open task that counts for the session of `context`; an error if they are not known, which
    /// denies the task.
    fn agents(&self, context: &Arc<HookContext>) -> HookFuture<'static, Result<Vec<String>, BoxError>>;
}

/// Routing with rules and a limit on open tasks. As a decider, it gives a task to another agent if its target has as many as
/// it may, and denies the task if no other agent may have it.
///
/// Tasks that are routed at the same time may each count as the last one; a spawn budget reserves places.
#[derive(Clone)]
pub struct Routing {
    rules: RouteRules,
    open: Option<Arc<dyn OpenTasks>>,
}

/// Routing in front of an inner hook, which may be [`Settle`].
pub type RoutingLayer = DecideLayer<Routing>;

impl Routing {
    /// Routes by `rules`.
    ///
    /// ```
    /// use hooks_core::event::Route;
    /// use hooks_core::{HookContext, Hooks, Judged};
    /// use hooks_team_rules::RouteRules;
    /// use hooks_team_rules::routing::{RoutesConfig, Routing};
    /// use serde_json::json;
    ///
    /// let config: RoutesConfig = serde_json::from_value(json!({
    ///     "rules": [{"name": "no-rush", "to": ["ops"], "words": ["restart"], "instead": ["lead"]}],
    /// }))?;
    /// let hooks = Routing::new(RouteRules::new(&config)?).add_to(Hooks::builder()).build();
    /// # futures_util::future::FutureExt::now_or_never(async {
    /// let context = HookContext::new("session-1", "intern");
    /// let decided = hooks.on(context).route(Route::new("ops", "restart the server")).await;
    /// assert!(decided.outcome.goes_ahead());
    /// assert_eq!(decided.request.event().target_agent, "lead");
    /// # }).expect("no hook waits");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn new(rules: RouteRules) -> Self {
        Self { rules, open: None }
    }

    /// Counts open tasks with `open`. Without it, a task for an agent with a limit is denied.
    #[must_use]
    pub fn counting(self, open: Arc<dyn OpenTasks>) -> Self {
        Self { open: Some(open), ..self }
    }

    /// Wraps the decider in a layer.
    pub fn layer(self) -> RoutingLayer {
        DecideLayer::new(self)
    }

    /// Adds the rules and the limits.
    #[must_use]
    pub fn add_to(self, builder: HooksBuilder) -> HooksBuilder {
        let rules = self.rules.clone();
        builder
            .transform::<Route>(rules.clone())
            .transform::<PreToolUse>(rules.clone())
            .stack(&FailureLayer::new(NAME), self.layer().layer(Settle))
            .policy::<Route>(rules.clone())
            .policy::<PreToolUse>(rules)
    }

    /// Returns the outcome for a task, with these open tasks.
    fn outcome(&self, request: &HookRequest<Route>, open: &[String]) -> DeciderOutcome<Route> {
        let task = Task { context: request.context(), route: request.event() };
        let target = &request.event().target_agent;
        let Some(overload) = self.rules.overload(task, target, open) else {
            return DeciderOutcome::new(Decision::default());
        };
        let has_room = |other: &&String| {
            !is_same(other, target)
                && self.rules.objection(task, other).is_none()
                && self.rules.overload(task, other, open).is_none()
        };
        match overload.instead.iter().find(has_room) {
            Some(other) if request.stage() != Stage::Judge => {
                DeciderOutcome::new(Decision::default()).rewriting(other.clone())
            }
            _ => DeciderOutcome::new(Decision::from(Verdict::deny(overload.reason))),
        }
    }
}

impl std::fmt::Debug for Routing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Routing").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Service<HookRequest<Route>> for Routing {
    type Response = DeciderOutcome<Route>;
    type Error = HookError;
    type Future = HookFuture<'static, Result<DeciderOutcome<Route>, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<Route>) -> Self::Future {
        if !self.rules.limits_load(&request.event().target_agent) {
            return HookFuture::now(Ok(DeciderOutcome::new(Decision::default())));
        }
        let Some(open) = &self.open else {
            return HookFuture::now(Err(HookError::bad_answer(
                "open tasks are limited, and nothing counts them",
            )));
        };
        let (this, open) = (self.clone(), open.agents(request.context()));
        HookFuture::later(async move {
            let open = open.await.map_err(HookError::other)?;
            Ok(this.outcome(&request, &open))
        })
    }
}
