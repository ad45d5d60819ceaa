use tower_layer::Layer;

use super::PacingService;
use crate::health::Health;

/// Sends calls no faster than their provider lets them through; see [`PacingService`]. All services made from it
/// share what was sent.
#[derive(Clone, Debug)]
pub struct PacingLayer {
    health: Health,
}

impl PacingLayer {
    /// A layer that takes its slots from `health`.
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
