//! Resilience for model calls: each measure against a failing provider is a tower layer of its own, and all
//! layers share one record of which models are healthy.
//!
//! A stack serves [`Call`] and returns [`Replied`]. Its error is [`ModelError`]: the [`ErrorKind`] gives the
//! cause, and the [`Treatment`] gives the reaction to it. From the outside in, as a request passes them:
//!
//! | layer | effect |
//! | --- | --- |
//! | `PerTenantLayer` | a stack of its own for each tenant |
//! | `ResumeLayer` | for streams: continues a stream that breaks midway |
//! | `AlertLayer` | alerts operators: too many errors, an open breaker, an exhausted chain |
//! | `DeadlineLayer` | the deadline of the call; no layer below waits longer |
//! | `FallbackLayer` | chooses the model, and the next one after a failure; parks the call while no model is ready |
//! | `OverflowLayer` | compacts a conversation that does not fit, and tries again |
//! | `HedgeLayer` | a second attempt beside a slow one; off by default |
//! | `RetryLayer` | the same model again, with backoff and within a budget |
//! | `PacingLayer` | stays below the provider's own limits |
//! | `BreakerLayer` | stops calling a model that keeps failing |
//! | `BulkheadLayer` | limits the concurrent calls of a provider |
//! | `AttemptLayer` | one attempt: its time limits, and the classification of its error |
//! | [`Governed`] | the client, with hooks around each attempt |
//! | `BeginLayer` | for streams: the call returns once the first chunk has arrived |
//!
//! Time, randomness and shared state come through the traits of `hooks-core` ([`World`]), so that days of
//! traffic are simulated in seconds. Nothing here does I/O.
//!
//! ```
//! use std::time::Duration;
//! use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
//! use hooks_resilience::{
//!     AttemptLayer, AttemptConfig, BreakerLayer, Call, Catalog, Chains, ChainsConfig, Classified,
//!     DeadlineLayer, ErrorKind, FallbackLayer, FallbackConfig, Health, HealthSettings, Model, ModelError,
//!     Tier,
//! };
//! use tower::{ServiceBuilder, ServiceExt};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let catalog = Catalog::new([
//!     Model::new("opus", "anthropic", Tier::Premium),
//!     Model::new("gpt", "openai", Tier::Premium),
//! ])?;
//! let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
//! let health = Health::new(&catalog, HealthSettings::default(), world.clone())?;
//! let stack = ServiceBuilder::new()
//!     .layer(DeadlineLayer::new(world.clone(), Duration::from_secs(120))?)
//!     .layer(FallbackLayer::new(chains, health.clone(), FallbackConfig::default())?)
//!     .layer(BreakerLayer::new(health))
//!     .layer(AttemptLayer::new(world.clone(), AttemptConfig::default(), Classified)?)
//!     .service_fn(async |call: Call| match call.model_name() {
//!         "opus" => Err(ModelError::new(ErrorKind::Overloaded, "come back later")),
//!         model => Ok(format!("{model} answers")),
//!     });
//!
//! let call = Call::new(HookContext::new("session-1", "lead").into(), ModelRequest::default(), OpId(1));
//! let answered = stack.oneshot(call).await?;
//! assert_eq!(answered.reply, "gpt answers");
//! let failed = &answered.failed[0];
//! assert_eq!((&*failed.model, failed.kind), ("opus", ErrorKind::Overloaded));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! The section `models` of `hooks.yaml` creates all layers in this order; see [`config`].

pub mod alert;
pub mod attempt;
pub mod breaker;
pub mod bulkhead;
mod call;
mod catalog;
pub mod chain;
pub mod classify;
pub mod config;
pub mod deadline;
mod error;
pub mod fallback;
#[cfg(test)]
mod fixture;
pub mod govern;
mod health;
pub mod hedge;
pub mod overflow;
pub mod pacing;
pub mod recover;
pub mod retry;
mod spare;
pub mod stream;
mod sync;
pub mod tenant;
mod world;

#[cfg(all(doctest, feature = "redaction"))]
#[doc = include_str!("../../docs/redaction.md")]
struct Page;

pub use hooks_core::duration;

pub use self::alert::{AlertConfig, AlertLayer, AlertService, AlertSink};
pub use self::attempt::{Attempt, AttemptConfig, AttemptLayer};
pub use self::breaker::{Breaker, BreakerConfig, BreakerLayer, BreakerState};
pub use self::bulkhead::{Bulkhead, BulkheadLayer};
pub use self::call::{Call, FailedAttempt, Needs, Replied};
pub use self::catalog::{Catalog, CatalogError, Limits, Model, Price, Tier};
pub use self::chain::{Chain, ChainConfig, Chains, ChainsConfig, ChainsError};
pub use self::classify::{Classified, Classifiers, Classify, HttpError, TransportError};
pub use self::config::{Resilience, ResilienceConfig, ResilienceLayer};
pub use self::deadline::{Deadline, DeadlineLayer};
pub use self::error::{
    Backoff, BreakerVote, ErrorKind, ModelError, NextModel, SameModel, Treatment, Treatments,
};
pub use self::fallback::{Fallback, FallbackConfig, FallbackLayer};
pub use self::govern::{GovernAttempt, GovernAttemptLayer, Governed, Resilient};
pub use self::health::{
    Because, Health, HealthSettings, NotAdmitted, Permit, Readiness, RetryBudgetConfig, SettingsError,
    Transition,
};
pub use self::hedge::{Hedge, HedgeConfig, HedgeDelay, HedgeLayer, HedgeTarget};
pub use self::overflow::{OverflowConfig, OverflowConfigError, OverflowLayer};
pub use self::pacing::{Pacing, PacingLayer};
pub use self::recover::{Advisor, RecoverModel, RecoverSpawn};
pub use self::retry::{Retry, RetryConfig, RetryLayer};
pub use self::stream::{Chunk, ModelStream, ResumeLayer, StreamConfig};
pub use self::tenant::{PerTenant, PerTenantLayer};
pub use self::world::World;
