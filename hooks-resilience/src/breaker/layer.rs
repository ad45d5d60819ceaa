use tower_layer::Layer;

use super::BreakerService;
use crate::health::Health;

/// Leaves models alone that keep failing, or whose provider told us to wait; see [`BreakerService`]. All services
/// made from it share what is known.
#[derive(Clone, Debug)]
pub struct BreakerLayer {
    health: Health,
}

impl BreakerLayer {
    /// A layer that asks `health`, and tells it how calls went.
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
