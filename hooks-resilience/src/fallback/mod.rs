//! Chooses the model of a call, and the next one after a failure.
//!
//! [`FallbackLayer`] calls the first model of a call's [`Chain`](crate::Chain) that is ready. After a failure
//! it continues as the [`Treatments`](crate::Treatments) define: with the next model, another provider, a
//! larger window, or not at all. While no model is ready, it parks the call until the first one is, or fails
//! if none will be in time. A [`Plan`] decides the next step; it uses neither futures nor clocks.
//!
//! The same call may retry a failed model once its pause is over, as often as its treatment allows and the
//! provider's retry budget lasts. Models without an attempt come first.
//!
//! ```text
//! FallbackLayer > OverflowLayer > HedgeLayer > RetryLayer > PacingLayer > BreakerLayer > ... > client
//! ```
//!
//! A stack has one such layer. A second one inside, or a retry loop around it, would multiply the attempts,
//! and fails with [`ErrorKind::NestedRetry`](crate::ErrorKind::NestedRetry).
//!
//! ```
//! use hooks_core::{drivers::ModelRequest, state::OpId};
//! use hooks_resilience::{
//!     Replied, Call, Catalog, Chains, ChainsConfig, ErrorKind, FallbackLayer, FallbackConfig, Health,
//!     HealthSettings, Model, ModelError, Tier,
//! };
//! use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//!
//! let catalog = Catalog::new([
//!     Model::new("opus", "anthropic", Tier::Premium),
//!     Model::new("sonnet", "anthropic", Tier::Premium),
//!     Model::new("gpt", "openai", Tier::Premium),
//! ])?;
//! let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let client = service_fn(async |call: Call| match call.model_name() {
//!     "opus" => Err(ModelError::new(ErrorKind::Authentication, "invalid api key")),
//!     model => Ok(Replied::new(call.clone(), model.to_owned())),
//! });
//! let stack = FallbackLayer::new(chains, health, FallbackConfig::default())?.layer(client);
//!
//! let answered = stack.oneshot(Call::new(Default::default(), ModelRequest::default(), OpId(1))).await?;
//! assert_eq!(answered.reply, "gpt", "`sonnet` has the same provider, which refuses the key");
//! assert_eq!(answered.failed.len(), 1);
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: at most two attempts, and no parking.
//!
//! ```
//! # use hooks_core::{drivers::ModelRequest, state::OpId};
//! # use hooks_resilience::{
//! #     Replied, Call, Catalog, Chains, ChainsConfig, ErrorKind, FallbackLayer, FallbackConfig, Health,
//! #     HealthSettings, Model, ModelError, Tier,
//! # };
//! # use std::time::Duration;
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let catalog = Catalog::new([
//! #     Model::new("opus", "anthropic", Tier::Premium),
//! #     Model::new("gpt", "openai", Tier::Premium),
//! #     Model::new("gemini", "google", Tier::Premium),
//! # ])?;
//! # let chains = Chains::new(&catalog, &ChainsConfig::default().with_default("premium"))?;
//! # let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let settings = FallbackConfig::default().with_max_attempts(2).with_max_park(Duration::ZERO);
//! let client = service_fn(async |_: Call| Err::<Replied<()>, _>(ModelError::new(ErrorKind::Server, "500")));
//! let stack = FallbackLayer::new(chains, health, settings)?.layer(client);
//!
//! # let call = Call::new(Default::default(), ModelRequest::default(), OpId(1));
//! let error = stack.oneshot(call).await.expect_err("all models fail");
//! assert_eq!((error.kind(), error.failed().len()), (ErrorKind::Server, 1));
//! assert_eq!(&*error.failed()[0].model, "gpt", "the error itself is that of `opus`; `gemini` is not called");
//! assert!(error.is_exhausted());
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod adapt;
mod config;
mod first;
pub mod future;
mod layer;
mod parking;
mod past;
mod plan;
mod remaining;
mod run;
mod service;
mod stay;
mod step;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use self::adapt::fit;
pub use self::adapt::{Adapt, DropForeignThinking};
pub use self::config::FallbackConfig;
pub use self::layer::FallbackLayer;
pub use self::parking::{ParkedCall, Parking};
pub use self::plan::Plan;
pub use self::service::Fallback;
pub use self::step::{End, Step};
pub use self::view::View;
