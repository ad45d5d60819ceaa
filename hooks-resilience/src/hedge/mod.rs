//! A second attempt beside a slow one; off by default.
//!
//! [`HedgeLayer`] waits for a delay, which is fixed or learned from the model's recent answers. Then it calls
//! the next ready model of the chain, or the same one. The first answer counts, and the other attempt is
//! dropped. This reduces the slowest answers at the price of load, so it has a budget: a share of the calls.
//!
//! Only the first turn of a call is hedged, because later ones avoid certain models. A call whose tools ran
//! is not hedged. The delay begins when the attempt first has to be waited for.
//!
//! The layer belongs inside the [`FallbackLayer`](crate::FallbackLayer) and outside the
//! [`RetryLayer`](crate::RetryLayer).
//!
//! ```
//! use std::time::Duration;
//! use hooks_resilience::{Replied, Call, HedgeLayer, HedgeConfig, ModelError};
//! # use hooks_core::time::{Clock, Timer};
//! # use hooks_resilience::{Catalog, Chains, ChainsConfig, Health, HealthSettings, Model, Tier};
//! use tower::{Layer, ServiceExt, service_fn};
//! # fn call_to(model: &std::sync::Arc<hooks_resilience::Model>) -> hooks_resilience::Call {
//! #     let id = hooks_core::state::OpId(1);
//! #     let mut call = hooks_resilience::Call::new(Default::default(), Default::default(), id);
//! #     call.model = Some(std::sync::Arc::clone(model));
//! #     call
//! # }
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let catalog = Catalog::new([
//! #     Model::new("opus", "anthropic", Tier::Premium),
//! #     Model::new("gpt", "openai", Tier::Premium),
//! # ])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! # let chains = Chains::new(&catalog, &ChainsConfig::default())?;
//! # let health = Health::new(&catalog, HealthSettings::default(), world)?;
//!
//! // `opus` needs a minute, every other model a second.
//! let clock = time.clone();
//! let client = service_fn(async |call: Call| {
//!     clock.sleep(Duration::from_secs(if call.model_name() == "opus" { 60 } else { 1 })).await;
//!     let name = call.model_name().to_owned();
//!     Ok::<_, ModelError>(Replied::new(call, name))
//! });
//! let layer = HedgeLayer::new(chains, health, HedgeConfig::default())?;
//! let answered = layer.layer(client).oneshot(call_to(opus)).await?;
//! assert_eq!((&*answered.reply, layer.hedged()), ("opus", 0), "it is off by default");
//! assert_eq!(time.tick().0, Duration::from_secs(60));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: a second attempt after five seconds.
//!
//! ```
//! # use std::time::Duration;
//! # use hooks_resilience::{Replied, Call, HedgeLayer, HedgeConfig, ModelError};
//! # use hooks_core::time::{Clock, Timer};
//! # use hooks_resilience::{Catalog, Chains, ChainsConfig, Health, HealthSettings, Model, Tier};
//! # use tower::{Layer, ServiceExt, service_fn};
//! # fn call_to(model: &std::sync::Arc<hooks_resilience::Model>) -> hooks_resilience::Call {
//! #     let id = hooks_core::state::OpId(1);
//! #     let mut call = hooks_resilience::Call::new(Default::default(), Default::default(), id);
//! #     call.model = Some(std::sync::Arc::clone(model));
//! #     call
//! # }
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let catalog = Catalog::new([
//! #     Model::new("opus", "anthropic", Tier::Premium),
//! #     Model::new("gpt", "openai", Tier::Premium),
//! # ])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! # let chains = Chains::new(&catalog, &ChainsConfig::default())?;
//! # let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! # let clock = time.clone();
//! # let client = service_fn(async |call: Call| {
//! #     clock.sleep(Duration::from_secs(if call.model_name() == "opus" { 60 } else { 1 })).await;
//! #     let name = call.model_name().to_owned();
//! #     Ok::<_, ModelError>(Replied::new(call, name))
//! # });
//! let layer = HedgeLayer::new(chains, health, HedgeConfig::after(Duration::from_secs(5)))?;
//! let answered = layer.layer(client).oneshot(call_to(opus)).await?;
//! assert_eq!((&*answered.reply, layer.hedged()), ("gpt", 1));
//! assert_eq!(time.tick().0, Duration::from_secs(6));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod config;
pub mod future;
mod layer;
mod recent;
mod service;

pub use self::config::{HedgeConfig, HedgeDelay, HedgeTarget};
pub use self::layer::HedgeLayer;
pub use self::service::Hedge;
