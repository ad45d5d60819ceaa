use std::fmt;
use std::sync::Arc;

use tower_layer::Layer;

use super::adapt::{Adapt, DropForeignThinking};
use super::config::FallbackConfig;
use super::parking::{ParkedCall, Parking};
use super::service::Fallback;
use super::stay::Stays;
use crate::chain::Chains;
use crate::health::{Health, SettingsError};
use crate::spare::Spare;

/// Chooses the model of each call, and the next one after a failure; see the module docs.
#[derive(Clone)]
pub struct FallbackLayer {
    shared: Arc<Shared>,
}

/// Listener for calls that are parked.
type OnPark = dyn Fn(ParkedCall<'_>) + Send + Sync;

/// State shared by all services of a layer.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) chains: Chains,
    pub(super) health: Health,
    pub(super) settings: FallbackConfig,
    pub(super) adapt: Arc<dyn Adapt>,
    pub(super) parking: Parking,
    pub(super) on_park: Option<Arc<OnPark>>,
    pub(super) stays: Arc<Stays>,
}

impl FallbackLayer {
    /// Creates a layer that takes the models from `chains` and calls those that are ready according to
    /// `health`.
    ///
    /// # Errors
    /// Returns an error if a setting is invalid.
    pub fn new(chains: Chains, health: Health, settings: FallbackConfig) -> Result<Self, SettingsError> {
        settings.check()?;
        let (adapt, parking) = (Arc::new(DropForeignThinking), Parking::default());
        let shared =
            Shared { chains, health, settings, adapt, parking, on_park: None, stays: Arc::default() };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Sets how conversations are adapted to other models.
    #[must_use]
    pub fn adapting(self, adapt: impl Adapt + 'static) -> Self {
        self.with(|shared| shared.adapt = Arc::new(adapt))
    }

    /// Calls `listener` whenever a call is parked; it must not block.
    #[must_use]
    pub fn on_park(self, listener: impl Fn(ParkedCall<'_>) + Send + Sync + 'static) -> Self {
        self.with(|shared| shared.on_park = Some(Arc::new(listener)))
    }

    /// Counts of parked calls.
    pub fn parking(&self) -> &Parking {
        &self.shared.parking
    }

    fn with(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        change(Arc::make_mut(&mut self.shared));
        self
    }
}

impl<S> Layer<S> for FallbackLayer {
    type Service = Fallback<S>;

    fn layer(&self, inner: S) -> Fallback<S> {
        Fallback::new(inner, Spare::new(Arc::clone(&self.shared)))
    }
}

impl fmt::Debug for FallbackLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FallbackLayer").field("settings", &self.shared.settings).finish_non_exhaustive()
    }
}
