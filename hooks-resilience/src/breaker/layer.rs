use tower_layer::Layer;

use super::BreakerService;
use crate::health::Health;

/// Stops calling models that keep failing, or whose provider asked for a pause; see [`BreakerService`]. All
/// services made from a layer share the same [`Health`].
#[derive(Clone, Debug)]
pub struct BreakerLayer {
    health: Health,
}

impl BreakerLayer {
    /// Creates a layer that asks `health` whether a call may pass, and reports its result.
    pub const fn new(health: Health) -> Self {
        Self { health }
    }
}

impl<S> Layer<S> for BreakerLayer {
    type Service = BreakerService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        BreakerService::new(inner, self.health.clone())
    }
}
