//! The layer.

use std::sync::Arc;

use hooks_core::{HookContext, Live};
use tower::Layer;

use crate::GovernOpenAi;

/// Governs the model calls of a client; see the [crate] for an example.
#[derive(Clone, Debug)]
pub struct GovernOpenAiLayer {
    hooks: Live,
    context: Arc<HookContext>,
}

impl GovernOpenAiLayer {
    /// A layer that governs by `hooks`. All calls of the client are in `context`, so make a client for each session.
    pub fn new(hooks: impl Into<Live>, context: impl Into<Arc<HookContext>>) -> Self {
        Self { hooks: hooks.into(), context: context.into() }
    }
}

impl<S> Layer<S> for GovernOpenAiLayer {
    type Service = GovernOpenAi<S>;

    fn layer(&self, inner: S) -> Self::Service {
        GovernOpenAi::new(inner, self.hooks.clone(), Arc::clone(&self.context))
    }
}
