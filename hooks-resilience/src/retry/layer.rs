use std::sync::Arc;

use tower_layer::Layer;

use super::service::Retry;
use super::settings::RetrySettings;
use crate::health::{Health, SettingsError};
use crate::spare::Spare;

/// Asks the same model again; see the module docs.
#[derive(Clone, Debug)]
pub struct RetryLayer {
    shared: Arc<Shared>,
}

/// What all services of a layer share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) health: Health,
    pub(super) settings: RetrySettings,
}

impl RetryLayer {
    /// Retries as the treatments of `health` say, within its retry budget.
    ///
    /// # Errors
    /// The settings are nonsense.
    pub fn new(health: Health, settings: RetrySettings) -> Result<Self, SettingsError> {
        settings.check()?;
        Ok(Self { shared: Arc::new(Shared { health, settings }) })
    }
}

impl<S> Layer<S> for RetryLayer {
    type Service = Retry<S>;

    fn layer(&self, inner: S) -> Retry<S> {
        Retry::new(inner, Spare::new(Arc::clone(&self.shared)))
    }
}
