//! The layer.

use std::sync::Arc;

use hooks_core::drivers::NoApprover;
use hooks_core::{HookContext, Live};
use tower_layer::Layer;

use super::{GovernMcp, McpSettings};

/// Governs a service that answers requests of MCP by a set of hooks; see the [crate](crate) for an example.
#[derive(Clone, Debug)]
pub struct GovernMcpLayer<A = NoApprover> {
    hooks: Live,
    context: Arc<HookContext>,
    approver: A,
    settings: Arc<McpSettings>,
}

impl GovernMcpLayer {
    /// Governs by `hooks`. `context` is that of requests without one of their own. Without an approver, an ask is a
    /// denial.
    pub fn new(hooks: impl Into<Live>, context: impl Into<Arc<HookContext>>, settings: McpSettings) -> Self {
        Self {
            hooks: hooks.into(),
            context: context.into(),
            approver: NoApprover,
            settings: Arc::new(settings),
        }
    }
}

impl<A> GovernMcpLayer<A> {
    /// Sends questions to `approver`.
    pub fn with_approver<B>(self, approver: B) -> GovernMcpLayer<B> {
        let Self { hooks, context, approver: _, settings } = self;
        GovernMcpLayer { hooks, context, approver, settings }
    }

    /// The settings.
    pub const fn settings(&self) -> &Arc<McpSettings> {
        &self.settings
    }
}

impl<S, A: Clone> Layer<S> for GovernMcpLayer<A> {
    type Service = GovernMcp<S, A>;

    fn layer(&self, inner: S) -> GovernMcp<S, A> {
        let Self { hooks, context, approver, settings } = self.clone();
        GovernMcp { inner, hooks, context, approver, settings }
    }
}
