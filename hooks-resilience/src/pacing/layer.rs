use tower_layer::Layer;

use super::Pacing;
use crate::health::Health;

/// Sends calls no faster than the limits of their provider; see [`Pacing`]. All services made from a
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
    type Service = Pacing<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Pacing::new(inner, self.health.clone())
    }
}
