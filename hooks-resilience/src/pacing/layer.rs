use tower_layer::Layer;

use super::PacingService;
use crate::health::Health;

/// Sends calls no faster than the limits of their provider; see [`PacingService`]. All services made from a
/// layer share the used amounts.
#[derive(Clone, Debug)]
pub struct PacingLayer {
    health: Health,
}

impl PacingLayer {
    /// Creates a layer that takes its slots from `health`.
    pub const fn new(health: Health) -> Self {
        Self { health }
    }
}

impl<S> Layer<S> for PacingLayer {
    type Service = PacingService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        PacingService::new(inner, self.health.clone())
    }
}
