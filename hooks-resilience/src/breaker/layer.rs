use tower_layer::Layer;

use super::Breaker;
use crate::health::Health;

/// Stops calling models that keep failing, or whose provider asked for a pause; see [`Breaker`]. All
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
    type Service = Breaker<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Breaker::new(inner, self.health.clone())
    }
}
