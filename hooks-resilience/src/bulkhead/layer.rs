use std::fmt;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tower_layer::Layer;

use super::Bulkhead;
use crate::catalog::{Catalog, Model};
use crate::health::SettingsError;
use crate::world::World;

/// Limits the concurrent calls of each provider; see [`Bulkhead`]. All services made from a layer
/// share the places.
#[derive(Clone)]
pub struct BulkheadLayer {
    pub(super) places: Arc<Places>,
}

/// The places of all providers.
pub(super) struct Places {
    pub(super) world: World,
    /// Places of each model of the catalog; models of a provider share them unless their quota has its own.
    models: Vec<(Arc<str>, Arc<Semaphore>)>,
}

impl BulkheadLayer {
    /// Creates a layer with `each` places for every provider of `catalog`. A quota with its own limit of
    /// concurrent calls has that many places of its own.
    ///
    /// # Errors
    /// Returns an error if `each` is zero, or a quota allows no calls.
    ///
    /// ```
    /// use hooks_resilience::{BulkheadLayer, Catalog, Model, Tier};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    ///
    /// let mut opus = Model::new("opus", "anthropic", Tier::Premium);
    /// opus.limits.concurrent = Some(0);
    /// let error = BulkheadLayer::new(&Catalog::new([opus])?, world, 256).expect_err("no call could pass");
    /// assert!(error.to_string().starts_with("the model `opus` has a `limits.concurrent` of zero"));
    /// # Ok::<(), BoxError>(())
    /// ```
    pub fn new(catalog: &Catalog, world: World, each: usize) -> Result<Self, SettingsError> {
        if each == 0 {
            return Err(SettingsError::Zero("bulkhead.concurrent"));
        }
        let (mut shared, mut models) = (Vec::new(), Vec::new());
        for model in catalog.models() {
            let places = places_of(&mut shared, model, each)?;
            models.push((Arc::clone(&model.name), places));
        }
        Ok(Self { places: Arc::new(Places { world, models }) })
    }
}

impl Places {
    /// The places of `model`; `None` if it is not of the catalog.
    pub(super) fn semaphore_of(&self, model: &Model) -> Option<&Arc<Semaphore>> {
        let (name, places) = self.models.get(model.index())?;
        model.is_named(name).then_some(places)
    }
}

/// Owner of places: a provider, or one of its quotas.
type Owner<'a> = (&'a str, Option<&'a str>);

fn places_of<'a>(
    shared: &mut Vec<(Owner<'a>, Arc<Semaphore>)>,
    model: &'a Model,
    each: usize,
) -> Result<Arc<Semaphore>, SettingsError> {
    let own = model.limits.concurrent.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let quota = own.map(|_| model.quota.as_deref().unwrap_or(&model.name));
    let owner: Owner<'a> = (&model.provider, quota);
    if let Some((_, places)) = shared.iter().find(|(known, _)| *known == owner) {
        return Ok(Arc::clone(places));
    }
    let count = own.unwrap_or(each).min(Semaphore::MAX_PERMITS);
    if count == 0 {
        return Err(SettingsError::NoPlaces(Arc::clone(&model.name)));
    }
    let places = Arc::new(Semaphore::new(count));
    shared.push((owner, Arc::clone(&places)));
    Ok(places)
}

impl<S> Layer<S> for BulkheadLayer {
    type Service = Bulkhead<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Bulkhead::new(inner, self.clone())
    }
}

impl fmt::Debug for BulkheadLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkheadLayer").field("models", &self.places.models.len()).finish_non_exhaustive()
    }
}
