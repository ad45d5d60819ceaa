use tower_layer::Layer;

use super::DecideService;

/// Asks a decider before the inner hook; see [`DecideService`].
#[derive(Clone, Copy, Debug)]
pub struct DecideLayer<D> {
    decider: D,
}

impl<D> DecideLayer<D> {
    /// A layer for `decider`, which is cloned for each question.
    pub const fn new(decider: D) -> Self {
        Self { decider }
    }
}

impl<S, D: Clone> Layer<S> for DecideLayer<D> {
    type Service = DecideService<S, D>;

    fn layer(&self, inner: S) -> Self::Service {
        DecideService::new(inner, self.decider.clone())
    }
}
