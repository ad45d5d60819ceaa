//! The driver of tool calls as a layer.

use std::sync::Arc;

use tower_layer::Layer;

use super::{Govern, NoApprover, Tally};
use crate::set::Live;
use crate::verdict::Strength;

/// Governs the tool executor behind it; see [`Govern`].
///
/// ```
/// use hooks_core::drivers::{ToolCall, ToolOutcome, ToolRequest, ToolResult};
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{BoxError, GovernLayer, HookContext, HookRequest, Hooks, Reason, Verdict, policy_fn};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # futures_util::FutureExt::now_or_never(async {
/// let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
///     Verdict::deny(Reason::new("no-shell", "any", "no shell here"))
/// });
/// let tools = ServiceBuilder::new()
///     .layer(GovernLayer::new(Hooks::builder().policy(no_shell).build()))
///     .service(service_fn(|call: ToolCall| async move { Ok::<_, BoxError>(ToolResult::ok(call.name)) }));
/// let call = ToolCall::new("bash", serde_json::json!({"command": "ls"}));
/// let request = ToolRequest { context: HookContext::new("session-1", "backend").into(), call };
/// let governed = tools.oneshot(request).await.expect("an answer");
/// assert!(matches!(governed.outcome, ToolOutcome::Denied(_)));
/// # }).expect("no hook waits");
/// ```
#[derive(Clone, Debug)]
pub struct GovernLayer<A = NoApprover> {
    driver: Govern<(), A>,
}

impl GovernLayer {
    /// A layer that governs by `hooks`. Without an approver, an ask is a denial.
    pub fn new(hooks: impl Into<Live>) -> Self {
        Self { driver: Govern::around_any(hooks.into(), ()) }
    }
}

impl<A> GovernLayer<A> {
    /// Sends questions to `approver`.
    pub fn with_approver<B>(self, approver: B) -> GovernLayer<B> {
        GovernLayer { driver: self.driver.with_approver(approver) }
    }

    /// Sets the decision for a call that no hook has an opinion on: allow (the default), ask or deny.
    #[must_use]
    pub fn undecided(mut self, strength: Strength) -> Self {
        self.driver = self.driver.undecided(strength);
        self
    }

    /// Adds to the counts of `tally`.
    #[must_use]
    pub fn counting(mut self, tally: Arc<Tally>) -> Self {
        self.driver = self.driver.counting(tally);
        self
    }
}

impl<S, A: Clone> Layer<S> for GovernLayer<A> {
    type Service = Govern<S, A>;

    fn layer(&self, tools: S) -> Self::Service {
        self.driver.around(tools)
    }
}
