use tower_layer::Layer;

use super::{AutoContext, AutoContextService};

/// Adds context to what an inner hook answers; see [`AutoContextService`].
#[derive(Clone, Debug)]
pub struct AutoContextLayer {
    context: AutoContext,
}

impl AutoContextLayer {
    /// A layer of `context`.
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
