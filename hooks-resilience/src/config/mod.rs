//! All layers from one configuration: the section `models` of `hooks.yaml`.
//!
//! [`ResilienceConfig`] is the configuration format, [`Resilience`] the checked configuration. Every mistake
//! is reported with its path. A [`Resilience`] creates the [`Health`](crate::Health) that layers share, and
//! the [`ResilienceLayer`], which contains all layers in their order.
//!
//! ```
//! use hooks_resilience::config::{Resilience, ResilienceConfig};
//!
//! let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
//!     "catalog": [
//!         { "name": "large", "provider": "one", "tier": "premium", "context_tokens": 200_000 },
//!         { "name": "small", "provider": "two", "tier": "fast" },
//!     ],
//!     "routing": { "tiers": { "premium": ["large", "smal"] } },
//!     "deadline": "0s",
//! }))?;
//! let faults = Resilience::new(&config).unwrap_err();
//! let faults: Vec<_> = faults.iter().map(ToString::to_string).collect();
//! assert_eq!(faults[0], "routing.tiers.premium[1]: the model `smal` is not in the catalog; add it there, or use one of it");
//! assert_eq!(faults[1], "deadline: `deadline` is zero; give a count of at least 1, or a time such as `30s`");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! A valid configuration creates the stack:
//!
//! ```
//! use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
//! use hooks_resilience::config::{Resilience, ResilienceConfig};
//! use hooks_resilience::{Call, Classified, ErrorKind, ModelError};
//! use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
//!     "catalog": [
//!         { "name": "large", "provider": "one", "tier": "premium" },
//!         { "name": "small", "provider": "two", "tier": "fast" },
//!     ],
//!     "routing": { "default": "premium" },
//! }))?;
//! let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
//! let health = resilience.health(world)?;
//! let client = service_fn(async |call: Call| match call.model_name() {
//!     "large" => Err(ModelError::new(ErrorKind::ModelUnavailable, "the model was retired")),
//!     model => Ok(format!("{model} answers")),
//! });
//! let stack = resilience.layer(&health, Classified)?.layer(client);
//!
//! let call = Call::new(HookContext::new("session-1", "lead").into(), ModelRequest::default(), OpId(1));
//! assert_eq!(stack.oneshot(call).await?.reply, "small answers", "a tier continues with the cheaper ones");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: a deadline of five seconds, and no other model for a model that was retired.
//!
//! ```
//! # use hooks_core::{HookContext, drivers::ModelRequest, state::OpId};
//! # use hooks_resilience::config::{Resilience, ResilienceConfig};
//! # use hooks_resilience::{Call, Classified, ErrorKind, ModelError};
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! let config: ResilienceConfig = serde_json::from_value(serde_json::json!({
//!     "catalog": [
//!         { "name": "large", "provider": "one", "tier": "premium" },
//!         { "name": "small", "provider": "two", "tier": "fast" },
//!     ],
//!     "routing": { "default": "premium" },
//!     "deadline": "5s",
//!     "treatments": { "model_unavailable": { "next_model": "none" } },
//! }))?;
//! # let resilience = Resilience::new(&config).map_err(|faults| format!("{faults:?}"))?;
//! # let health = resilience.health(world)?;
//! # let client = service_fn(async |call: Call| match call.model_name() {
//! #     "large" => Err(ModelError::new(ErrorKind::ModelUnavailable, "the model was retired")),
//! #     model => Ok(format!("{model} answers")),
//! # });
//! let stack = resilience.layer(&health, Classified)?.layer(client);
//! # let call = Call::new(HookContext::new("session-1", "lead").into(), ModelRequest::default(), OpId(1));
//! let error = stack.oneshot(call).await.expect_err("no other model is called");
//! assert_eq!((error.kind(), error.message()), (ErrorKind::ModelUnavailable, "the model was retired"));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod catalog;
mod document;
mod fault;
mod health;
mod layer;
mod resilience;
#[cfg(test)]
mod tests;

pub use self::document::{
    BulkheadConfig, ModelConfig, NextModelWord, PacingConfig, PriceConfig, ResilienceConfig, TreatmentConfig,
};
pub use self::fault::ConfigFault;
pub use self::layer::{ResilienceLayer, Stack, StreamLayer};
pub use self::resilience::Resilience;
