use std::sync::Arc;

use tower_layer::Layer;

use super::{Resume, StreamConfig};
use crate::health::{Health, SettingsError};

/// Continues answers that break midway; see [`Resume`]. The outermost layer of a streaming stack.
#[derive(Clone, Debug)]
pub struct ResumeLayer {
    pub(super) shared: Arc<Shared>,
}

/// State shared by all streams of one layer.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) health: Health,
    pub(super) settings: StreamConfig,
}

impl ResumeLayer {
    /// Creates a layer that reports broken streams to `health`, so that they count against their models.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(health: Health, settings: StreamConfig) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { shared: Arc::new(Shared { health, settings }) })
    }
}

impl<S> Layer<S> for ResumeLayer {
    type Service = Resume<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Resume::new(inner, self.clone())
    }
}
