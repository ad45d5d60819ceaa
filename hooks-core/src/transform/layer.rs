use tower_layer::Layer;

use super::TransformService;

/// Lets a transform rewrite the event before the inner hook receives it; see [`TransformService`].
#[derive(Clone, Copy, Debug)]
pub struct TransformLayer<T> {
    transform: T,
}

impl<T> TransformLayer<T> {
    /// A layer for `transform`, which is cloned for each service that is made.
    pub const fn new(transform: T) -> Self {
        Self { transform }
    }
}

impl<S, T: Clone> Layer<S> for TransformLayer<T> {
    type Service = TransformService<S, T>;

    fn layer(&self, inner: S) -> Self::Service {
        TransformService::new(inner, self.transform.clone())
    }
}
