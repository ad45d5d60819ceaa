use tower_layer::Layer;

use super::{AutoContext, AutoContextService};

/// Adds context to the answer of the inner hook; see [`AutoContextService`].
#[derive(Clone, Debug)]
pub struct AutoContextLayer {
    context: AutoContext,
}

impl AutoContextLayer {
    /// Makes a layer that adds `context`.
    pub const fn new(context: AutoContext) -> Self {
        Self { context }
    }
}

impl<S> Layer<S> for AutoContextLayer {
    type Service = AutoContextService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        AutoContextService::new(inner, self.context.clone())
    }
}
