use std::sync::Arc;
use std::time::Duration;

use tower_layer::Layer;

use super::Deadline;
use crate::health::SettingsError;
use crate::world::World;

/// Gives each call a deadline; see [`Deadline`].
#[derive(Clone, Debug)]
pub struct DeadlineLayer {
    world: Arc<World>,
    limit: Duration,
}

impl DeadlineLayer {
    /// Creates a layer that ends each call after `limit`.
    ///
    /// # Errors
    /// Returns an error if `limit` is zero.
    pub fn new(world: World, limit: Duration) -> Result<Self, SettingsError> {
        if limit.is_zero() {
            return Err(SettingsError::Zero("deadline"));
        }
        Ok(Self { world: Arc::new(world), limit })
    }
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = Deadline<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Deadline::new(inner, Arc::clone(&self.world), self.limit)
    }
}
