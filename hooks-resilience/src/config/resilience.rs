//! Checks a configuration, and creates the layers.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::state::StateStore;
use hooks_core::time::Timer;

use super::catalog::catalog;
use super::document::ResilienceConfig;
use super::fault::{ConfigFault, fault, overflow_fault};
use super::health::health_settings;
use super::layer::{ResilienceLayer, StreamLayer};
use crate::alert::{AlertLayer, AlertSink};
use crate::attempt::{AttemptConfig, AttemptLayer};
use crate::breaker::BreakerLayer;
use crate::bulkhead::BulkheadLayer;
use crate::catalog::Catalog;
use crate::chain::{Chains, ChainsConfig};
use crate::deadline::DeadlineLayer;
use crate::fallback::FallbackLayer;
use crate::health::{Health, HealthSettings, SettingsError};
use crate::hedge::HedgeLayer;
use crate::overflow::OverflowLayer;
use crate::pacing::PacingLayer;
use crate::recover::{Advisor, RecoverModel, RecoverSpawn};
use crate::retry::RetryLayer;
use crate::stream::ResumeLayer;
use crate::world::World;

/// A valid configuration. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Resilience(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    config: ResilienceConfig,
    catalog: Catalog,
    chains: Chains,
    health: HealthSettings,
}

impl Resilience {
    /// Checks `config` and computes its chains.
    ///
    /// # Errors
    /// Returns all mistakes in `config`.
    pub fn new(config: &ResilienceConfig) -> Result<Self, Vec<ConfigFault>> {
        let mut faults = Vec::new();
        let catalog = catalog(&config.catalog, &mut faults);
        let chains = match Chains::check(&catalog, &config.routing) {
            wrong if wrong.is_empty() => Chains::new(&catalog, &config.routing),
            wrong => {
                faults.extend(wrong.into_iter().map(|error| {
                    ConfigFault::new(format!("routing.{}", error.path), &error.fault.to_string())
                }));
                // With the default chains the rest of the configuration can still be checked.
                Chains::new(&catalog, &ChainsConfig::default())
            }
        };
        let health = health_settings(config, &mut faults);
        if let Ok(chains) = chains {
            let resilience = Self(Arc::new(Parts { config: config.clone(), catalog, chains, health }));
            resilience.try_layers(&mut faults);
            if faults.is_empty() {
                return Ok(resilience);
            }
        }
        Err(faults)
    }

    /// The catalog of models.
    pub fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// The order of models for each call.
    pub fn chains(&self) -> &Chains {
        &self.0.chains
    }

    /// The configuration that this was created from.
    pub fn config(&self) -> &ResilienceConfig {
        &self.0.config
    }

    /// Creates an empty record of the models' health. Each process needs one, which all stacks and hooks
    /// share.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid, which [`new`](Self::new) has checked.
    pub fn health(&self, world: World) -> Result<Health, SettingsError> {
        Health::new(&self.0.catalog, self.0.health.clone(), world)
    }

    /// Creates a health record that is shared by all instances with the same `store` and `fleet`. A call
    /// without a tenant belongs to `tenant`; tenants have a record of their own through
    /// [`Health::of_tenant`].
    ///
    /// # Errors
    /// Returns an error if the settings are invalid, which [`new`](Self::new) has checked.
    pub fn shared_health(
        &self,
        world: World,
        store: Arc<dyn StateStore>,
        fleet: &str,
        tenant: Option<&str>,
    ) -> Result<Health, SettingsError> {
        Ok(self.health(world)?.shared_for(store, fleet, tenant))
    }

    /// Creates all layers, in their order. `classify` classifies the client's errors:
    /// [`Classifiers`](crate::Classifiers), or [`Classified`](crate::Classified) if they are
    /// [`ModelError`](crate::ModelError)s already.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid, which [`new`](Self::new) has checked.
    pub fn layer<C>(&self, health: &Health, classify: C) -> Result<ResilienceLayer<C>, ConfigFault> {
        self.layer_of(health, classify, self.attempts())
    }

    /// Creates all layers for a streaming client. An attempt ends with the first chunk; if the stream breaks
    /// later, it is continued.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid, which [`new`](Self::new) has checked.
    ///
    /// ```
    /// use futures_util::stream;
    /// use hooks_resilience::config::{Resilience, ResilienceConfig};
    /// use hooks_resilience::stream::{Chunk, ModelStream, collect};
    /// use hooks_resilience::{Call, Classifiers, ModelError};
    /// use tower::{Layer, ServiceExt, service_fn};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    /// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
    ///
    /// let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
    ///     "catalog": [{ "name": "small", "provider": "one", "tier": "fast" }],
    ///     "routing": { "default": "fast" },
    /// }))?;
    /// let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
    /// let health = resilience.health(world)?;
    /// let client = service_fn(async |_: Call| {
    ///     let chunks = [Chunk::Text("hello".to_owned()), Chunk::Stop("end_turn".to_owned())];
    ///     Ok::<_, ModelError>(ModelStream::new(stream::iter(chunks.map(Ok))))
    /// });
    /// let classifiers = Classifiers::new(health.world().clock.clone());
    /// let stack = resilience.stream_layer(&health, classifiers)?.layer(client);
    /// let reply = collect(stack.oneshot(call).await?.reply).await?;
    /// assert_eq!(reply.response.content, "hello");
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    pub fn stream_layer<C>(&self, health: &Health, classify: C) -> Result<StreamLayer<C>, ConfigFault> {
        let resume = ResumeLayer::new(health.clone(), self.0.config.stream).map_err(|error| fault(&error))?;
        Ok(StreamLayer::new(resume, self.layer_of(health, classify, self.attempts().streaming())?))
    }

    fn attempts(&self) -> AttemptConfig {
        AttemptConfig::default().with_timeout(self.0.config.attempt_timeout)
    }

    fn layer_of<C>(
        &self,
        health: &Health,
        classify: C,
        attempt: AttemptConfig,
    ) -> Result<ResilienceLayer<C>, ConfigFault> {
        let Parts { config, catalog, chains, .. } = &*self.0;
        let world = health.world().clone();
        let places = usize::try_from(config.bulkhead.concurrent).unwrap_or(usize::MAX);
        let overflow = OverflowLayer::new(config.overflow.clone(), world.clone())
            .map_err(|error| overflow_fault(&error))?
            .treating(health.treatments());
        Ok(ResilienceLayer {
            deadline: DeadlineLayer::new(world.clone(), config.deadline).map_err(|error| fault(&error))?,
            fallback: FallbackLayer::new(chains.clone(), health.clone(), config.fallback)
                .map_err(|error| fault(&error))?,
            overflow,
            hedge: HedgeLayer::new(chains.clone(), health.clone(), config.hedge)
                .map_err(|error| fault(&error))?,
            retry: RetryLayer::new(health.clone(), config.retry).map_err(|error| fault(&error))?,
            pacing: PacingLayer::new(health.clone()),
            breaker: BreakerLayer::new(health.clone()),
            bulkhead: BulkheadLayer::new(catalog, world.clone(), places).map_err(|error| fault(&error))?,
            attempt: AttemptLayer::new(world, attempt, classify).map_err(|error| fault(&error))?,
        })
    }

    /// Creates the outermost layer, which sends alerts to `sink`.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid, which [`new`](Self::new) has checked.
    pub fn alerts(&self, health: &Health, sink: impl AlertSink + 'static) -> Result<AlertLayer, ConfigFault> {
        AlertLayer::new(health, self.0.config.alert, sink).map_err(|error| fault(&error))
    }

    /// The same decisions as hooks for `error_occurred` and `spawn_failed`, for hosts with their own loop.
    ///
    /// ```
    /// use hooks_core::event::{ErrorOccurred, ErrorType};
    /// use hooks_core::{FailureLayer, HookContext, Hooks};
    /// use hooks_resilience::config::{Resilience, ResilienceConfig};
    /// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
    /// # let time = VirtualTime::default();
    /// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
    /// # let world = hooks_resilience::World::new(&environment, time.clone());
    /// # time.clone().block_on(async {
    ///
    /// let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
    ///     "catalog": [
    ///         { "name": "large", "provider": "one", "tier": "premium" },
    ///         { "name": "small", "provider": "two", "tier": "fast" },
    ///     ],
    /// }))?;
    /// let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
    /// let (model, spawn) = resilience.recovery(&resilience.health(world)?);
    /// let hooks = Hooks::builder()
    ///     .hook(&FailureLayer::new("model"), model)
    ///     .hook(&FailureLayer::new("spawn"), spawn)
    ///     .build();
    ///
    /// let mut failure = ErrorOccurred::new("503 service unavailable", ErrorType::Model);
    /// failure.current_model = Some("large".to_owned());
    /// let recovery = hooks.on(HookContext::new("session-1", "lead")).error_occurred(failure).await;
    /// assert_eq!((recovery.retry, recovery.fallback_model.as_deref()), (Some(true), Some("small")));
    /// # Ok::<(), BoxError>(())
    /// # }).ok_or("only the timer is waited for")??;
    /// # Ok::<(), BoxError>(())
    /// ```
    pub fn recovery(&self, health: &Health) -> (RecoverModel, RecoverSpawn) {
        let advisor = Advisor::new(self.0.chains.clone(), health.clone(), self.0.config.fallback);
        (RecoverModel::new(advisor.clone()), RecoverSpawn::new(advisor))
    }

    /// Reports further mistakes that only the layers can find: creates each layer once, with a timer that
    /// never fires.
    fn try_layers(&self, faults: &mut Vec<ConfigFault>) {
        let Parts { config, catalog, chains, .. } = &*self.0;
        let world = World::new(&hooks_core::Environment::detached(), Asleep);
        let all = &self.0.health;
        let usual = HealthSettings::default;
        let parts = [
            HealthSettings { breaker: all.breaker.clone(), ..usual() },
            HealthSettings { budget: all.budget, ..usual() },
            HealthSettings { longest_gate: all.longest_gate, ..usual() },
            HealthSettings { instances: all.instances, ..usual() },
        ];
        let of_parts = parts.map(|part| Health::new(catalog, part, world.clone()).err());
        faults.extend(of_parts.into_iter().flatten().map(|error| fault(&error)));
        let Ok(health) = Health::new(catalog, usual(), world.clone()) else { return };
        let places = usize::try_from(config.bulkhead.concurrent).unwrap_or(usize::MAX);
        let made = [
            DeadlineLayer::new(world.clone(), config.deadline).map(drop),
            FallbackLayer::new(chains.clone(), health.clone(), config.fallback).map(drop),
            HedgeLayer::new(chains.clone(), health.clone(), config.hedge).map(drop),
            RetryLayer::new(health.clone(), config.retry).map(drop),
            BulkheadLayer::new(catalog, world.clone(), places).map(drop),
            AttemptLayer::new(world.clone(), self.attempts(), crate::Classified).map(drop),
            ResumeLayer::new(health.clone(), config.stream).map(drop),
            AlertLayer::new(&health, config.alert, |_| {}).map(drop),
        ];
        faults.extend(made.into_iter().filter_map(Result::err).map(|error| fault(&error)));
        faults.extend(
            OverflowLayer::new(config.overflow.clone(), world).err().map(|error| overflow_fault(&error)),
        );
    }
}

/// A timer that never fires, for layers that are created only to be checked.
#[derive(Debug)]
struct Asleep;

impl Timer for Asleep {
    fn sleep(&self, _: Duration) -> HookFuture<'static, ()> {
        HookFuture::later(std::future::pending())
    }
}
