use std::sync::Arc;

use tower_layer::Layer;

use super::config::RetryConfig;
use super::service::Retry;
use crate::health::{Health, SettingsError};
use crate::spare::Spare;

/// Retries with the same model; see the module docs.
#[derive(Clone, Debug)]
pub struct RetryLayer {
    shared: Arc<Shared>,
}

/// State shared by all services of a layer.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) health: Health,
    pub(super) settings: RetryConfig,
}

impl RetryLayer {
    /// Creates a layer that retries by the treatments of `health`, within its retry budget.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(health: Health, settings: RetryConfig) -> Result<Self, SettingsError> {
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
