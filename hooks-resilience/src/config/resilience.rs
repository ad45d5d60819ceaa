//! What makes sense of the document, and makes the layers.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::event::MicroUsd;
use hooks_core::state::StateStore;
use hooks_core::time::Timer;

use super::document::{ModelConfig, NextModelWord, PriceConfig, ResilienceConfig, TreatmentConfig};
use super::layer::{ResilienceLayer, StreamLayer};
use crate::alert::{AlertLayer, AlertSink};
use crate::attempt::{AttemptLayer, AttemptSettings};
use crate::breaker::BreakerLayer;
use crate::bulkhead::BulkheadLayer;
use crate::catalog::{Catalog, Price};
use crate::chain::{Chains, ChainsConfig};
use crate::deadline::DeadlineLayer;
use crate::error::{ErrorKind, NextModel, SameModel, Treatment, Treatments};
use crate::fallback::FallbackLayer;
use crate::health::{Health, HealthSettings, SettingsError};
use crate::hedge::HedgeLayer;
use crate::overflow::{OverflowLayer, OverflowSettingsError};
use crate::pacing::PacingLayer;
use crate::recover::{Advisor, RecoverModel, RecoverSpawn};
use crate::retry::RetryLayer;
use crate::stream::ResumeLayer;
use crate::world::World;

/// A configuration that makes sense. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Resilience(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    config: ResilienceConfig,
    catalog: Catalog,
    chains: Chains,
    health: HealthSettings,
}

/// What is wrong with a configuration, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigFault {
    /// The place, such as `routing.tiers.premium[1]`.
    pub path: String,
    /// What is wrong there.
    pub problem: String,
    /// The way out.
    pub hint: String,
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.problem, self.hint)
    }
}

impl std::error::Error for ConfigFault {}

impl Resilience {
    /// Makes sense of `config`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn new(config: &ResilienceConfig) -> Result<Self, Vec<ConfigFault>> {
        let mut faults = Vec::new();
        let catalog = catalog(&config.catalog, &mut faults);
        let chains = match Chains::check(&catalog, &config.routing) {
            wrong if wrong.is_empty() => Chains::new(&catalog, &config.routing),
            wrong => {
                faults.extend(wrong.into_iter().map(|error| {
                    ConfigFault::new(format!("routing.{}", error.path), &error.fault.to_string())
                }));
                // With chains that nobody configured the rest can be looked at.
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

    /// The models.
    pub fn catalog(&self) -> &Catalog {
        &self.0.catalog
    }

    /// Which models a call may use.
    pub fn chains(&self) -> &Chains {
        &self.0.chains
    }

    /// What it was made of.
    pub fn config(&self) -> &ResilienceConfig {
        &self.0.config
    }

    /// What is known about the models: nothing yet. One for each process; all stacks and hooks share it.
    ///
    /// # Errors
    /// None, as long as the settings are those that were checked.
    pub fn health(&self, world: World) -> Result<Health, SettingsError> {
        Health::new(&self.0.catalog, self.0.health.clone(), world)
    }

    /// The same, shared by everybody who uses `store` and the name `fleet`. What names no tenant is `tenant`'s; what
    /// names one has its own: [`Health::of_tenant`].
    ///
    /// # Errors
    /// None, as long as the settings are those that were checked.
    pub fn shared_health(
        &self,
        world: World,
        store: Arc<dyn StateStore>,
        fleet: &str,
        tenant: Option<&str>,
    ) -> Result<Health, SettingsError> {
        Ok(self.health(world)?.shared_for(store, fleet, tenant))
    }

    /// All layers, in their order. `classify` says what the errors of the client mean:
    /// [`Classifiers`](crate::Classifiers), or [`Classified`](crate::Classified) where they say it themselves.
    ///
    /// # Errors
    /// None, as long as the settings are those that were checked.
    pub fn layer<C>(&self, health: &Health, classify: C) -> Result<ResilienceLayer<C>, ConfigFault> {
        self.layer_of(health, classify, self.attempts())
    }

    /// The same around a client that streams: an attempt ends with the first piece, and what breaks off later is
    /// brought to its end.
    ///
    /// # Errors
    /// None, as long as the settings are those that were checked.
    pub fn stream_layer<C>(&self, health: &Health, classify: C) -> Result<StreamLayer<C>, ConfigFault> {
        let resume = ResumeLayer::new(health.clone(), self.0.config.stream).map_err(|error| fault(&error))?;
        Ok(StreamLayer::new(resume, self.layer_of(health, classify, self.attempts().streaming())?))
    }

    fn attempts(&self) -> AttemptSettings {
        AttemptSettings::default().with_timeout(self.0.config.attempt_timeout)
    }

    fn layer_of<C>(
        &self,
        health: &Health,
        classify: C,
        attempt: AttemptSettings,
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

    /// The outermost layer: tells `sink` what people should know.
    ///
    /// # Errors
    /// None, as long as the settings are those that were checked.
    pub fn alerts(&self, health: &Health, sink: impl AlertSink + 'static) -> Result<AlertLayer, ConfigFault> {
        AlertLayer::new(health, self.0.config.alert, sink).map_err(|error| fault(&error))
    }

    /// The same judgement as hooks of `error_occurred` and `spawn_failed`, for hosts that own their loop.
    pub fn recovery(&self, health: &Health) -> (RecoverModel, RecoverSpawn) {
        let advisor = Advisor::new(self.0.chains.clone(), health.clone(), self.0.config.fallback);
        (RecoverModel::new(advisor.clone()), RecoverSpawn::new(advisor))
    }

    /// What else is nonsense, each layer knows itself: each is made once, in a world that stands still.
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

/// A timer for layers that are made to be looked at.
#[derive(Debug)]
struct Asleep;

impl Timer for Asleep {
    fn sleep(&self, _: Duration) -> HookFuture<'static, ()> {
        HookFuture::later(std::future::pending())
    }
}

impl ConfigFault {
    /// `text` has the problem before a semicolon, and the way out behind it.
    fn new(path: impl Into<String>, text: &str) -> Self {
        let (problem, hint) = text.split_once("; ").unwrap_or((text, "correct it, or leave it out"));
        Self { path: path.into(), problem: problem.to_owned(), hint: hint.to_owned() }
    }
}

fn fault(error: &SettingsError) -> ConfigFault {
    ConfigFault::new(error.setting(), &error.to_string())
}

fn overflow_fault(error: &OverflowSettingsError) -> ConfigFault {
    let field = match error {
        OverflowSettingsError::NoMeans | OverflowSettingsError::TooManyMeans(_) => "means",
        OverflowSettingsError::Target(_) => "target_percent",
        OverflowSettingsError::Timeout => "summary_timeout",
    };
    ConfigFault::new(format!("overflow.{field}"), &error.to_string())
}

fn catalog(models: &[ModelConfig], faults: &mut Vec<ConfigFault>) -> Catalog {
    if models.is_empty() {
        faults.push(ConfigFault::new("catalog", "there is no model; list at least one"));
    }
    let mut known = BTreeMap::new();
    let mut kept = Vec::new();
    for (index, config) in models.iter().enumerate() {
        let path = |field: &str| format!("catalog[{index}]{field}");
        let mut model = config.to_model();
        for (field, text) in [(".name", &config.name), (".provider", &config.provider)] {
            if text.trim().is_empty() {
                faults.push(ConfigFault::new(path(field), "it is empty; give it a name"));
            }
        }
        let limits = &config.limits;
        for (field, is_zero) in [
            (".context_tokens", config.context_tokens == Some(0)),
            (".attempt_timeout", config.attempt_timeout == Some(Duration::ZERO)),
            (".limits.requests_per_minute", limits.requests_per_minute == Some(0)),
            (".limits.tokens_per_minute", limits.tokens_per_minute == Some(0)),
            (".limits.concurrent", limits.concurrent == Some(0)),
        ] {
            if is_zero {
                faults.push(ConfigFault::new(
                    path(field),
                    "it is zero, so that the model could never answer; leave it out where it is not known",
                ));
                // What was told once is not told again by a layer.
                model.limits.concurrent = model.limits.concurrent.filter(|places| *places > 0);
            }
        }
        if let Some(price) = config.price {
            match micro_usd(price) {
                Some(price) => model.price = Some(price),
                None => faults.push(ConfigFault::new(
                    path(".price"),
                    "it is no price; write US dollars for a million tokens, such as 15.0",
                )),
            }
        }
        if let Some(first) = known.insert(config.name.as_str(), index) {
            let text = format!(
                "the model `{}` stands in catalog[{first}] already; give each model one entry",
                config.name
            );
            faults.push(ConfigFault::new(path(".name"), &text));
        } else {
            kept.push(model);
        }
    }
    // No name stands there twice.
    Catalog::new(kept).unwrap_or_default()
}

/// The dearest price that is taken for one: a million dollars for a million tokens.
const DEAREST: f64 = 1e6;

fn micro_usd(price: PriceConfig) -> Option<Price> {
    let micro = |dollars: f64| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to 10^12 by the check"
        )]
        (0.0..=DEAREST).contains(&dollars).then(|| MicroUsd((dollars * 1e6).round() as u64))
    };
    Some(Price { input: micro(price.input)?, output: micro(price.output)? })
}

fn health_settings(config: &ResilienceConfig, faults: &mut Vec<ConfigFault>) -> HealthSettings {
    let mut treatments = Treatments::default();
    for (&kind, changed) in &config.treatments {
        match treatment(kind, changed) {
            Ok(treatment) => {
                treatments.cross_content_filter |= kind == ErrorKind::ContentFilter
                    && changed.next_model == Some(NextModelWord::OtherProvider);
                treatments = treatments.with(kind, treatment);
            }
            Err(text) => faults.push(ConfigFault::new(format!("treatments.{kind}"), text)),
        }
    }
    HealthSettings {
        breaker: config.breaker.clone(),
        budget: config.budget,
        burst: config.pacing.burst,
        longest_gate: config.pacing.longest_gate,
        instances: config.pacing.instances,
        treatments,
    }
}

/// The kinds whose answer is the stack's own: whoever could change them could make a loop.
const FIXED: [ErrorKind; 4] =
    [ErrorKind::DeadlineExceeded, ErrorKind::NoModel, ErrorKind::NestedRetry, ErrorKind::NotAdmitted];

fn treatment(kind: ErrorKind, changed: &TreatmentConfig) -> Result<Treatment, &'static str> {
    if FIXED.contains(&kind) {
        return Err("what is done about it is not the provider's to cause; leave it out");
    }
    let mut treatment = Treatment::of(kind);
    match (changed.retries, changed.wait_at_most) {
        (Some(_), Some(_)) => {
            return Err("`retries` and `wait_at_most` exclude each other; keep one of them");
        }
        (Some(0), None) => treatment.same_model = SameModel::No,
        (Some(retries), None) => treatment.same_model = SameModel::Backoff(retries),
        (None, Some(limit)) => treatment.same_model = SameModel::AsTold(limit),
        (None, None) => {}
    }
    if kind == ErrorKind::ContextOverflow && treatment.same_model != SameModel::Compacted {
        return Err("the same conversation would not fit again; leave `retries` and `wait_at_most` out");
    }
    if let Some(next) = changed.next_model {
        treatment.next_model = match next {
            // To one other provider, and not from one to the next until somebody says yes.
            NextModelWord::OtherProvider if kind == ErrorKind::ContentFilter => NextModel::IfAllowed,
            NextModelWord::Any if kind == ErrorKind::ContentFilter => {
                return Err("a refusal is carried to one other provider at most; write `other_provider`");
            }
            NextModelWord::Nobody => NextModel::No,
            NextModelWord::Any => NextModel::Any,
            NextModelWord::OtherProvider => NextModel::OtherProvider,
            NextModelWord::LargerWindow => NextModel::LargerWindow,
        };
    }
    treatment.breaker = changed.breaker.unwrap_or(treatment.breaker);
    treatment.gate = changed.gate.unwrap_or(treatment.gate);
    treatment.alert = changed.alert.unwrap_or(treatment.alert);
    Ok(treatment)
}
