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
    ///
    /// ```
    /// use std::time::Duration;
    /// use hooks_resilience::{Backoff, RetryLayer, RetryConfig};
    /// # use hooks_resilience::{Catalog, Health, HealthSettings};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # let health = Health::new(&Catalog::default(), HealthSettings::default(), world)?;
    ///
    /// let upside_down = Backoff::new(Duration::from_secs(30), Duration::from_secs(1));
    /// let settings = RetryConfig::default().with_backoff(upside_down);
    /// let error = RetryLayer::new(health, settings).expect_err("the cap is below the base");
    /// assert_eq!(error.setting(), "retry.backoff.cap");
    /// # Ok::<(), BoxError>(())
    /// ```
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
