use std::sync::Arc;

use tower_layer::Layer;

use super::{ResumeService, StreamSettings};
use crate::health::{Health, SettingsError};

/// Brings answers that break midway to their end; see [`ResumeService`]. The outermost layer of a stack that
/// streams.
#[derive(Clone, Debug)]
pub struct ResumeLayer {
    pub(super) shared: Arc<Shared>,
}

/// What all streams of one layer share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) health: Health,
    pub(super) settings: StreamSettings,
}

impl ResumeLayer {
    /// Watches the streams of models whose health this is: a stream that breaks counts against its model.
    ///
    /// # Errors
    /// The settings are nonsense.
    pub fn new(health: Health, settings: StreamSettings) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { shared: Arc::new(Shared { health, settings }) })
    }
}

impl<S> Layer<S> for ResumeLayer {
    type Service = ResumeService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ResumeService::new(inner, self.clone())
    }
}
