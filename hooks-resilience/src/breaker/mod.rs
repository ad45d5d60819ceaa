//! Stops calling a model that keeps failing.
//!
//! [`BreakerLayer`] counts the results of the calls of each model. Too many failures in a window, too many
//! slow answers, or a few failures in a row open the breaker. Then no call passes until one is sent as a
//! probe and succeeds. The [`BreakerVote`](crate::BreakerVote) of an error's treatment is its effect on the
//! breaker. A provider has a breaker too, for causes that concern all of its models, such as refused
//! credentials. Both are part of the [`Health`](crate::Health), which all layers share, and all instances
//! with a common store.
//!
//! A call that may not pass fails with [`NotAdmitted`](crate::ErrorKind::NotAdmitted), which carries the time
//! from which it may; this layer never waits. A call to a healthy model costs one lock and no allocation. The
//! layer belongs inside the layers that wait ([`PacingLayer`](crate::PacingLayer)), so that it judges at the
//! moment when the call is sent. It belongs around the [`AttemptLayer`](crate::AttemptLayer), whose timeouts
//! it counts.
//!
//! ```
//! use hooks_resilience::{
//!     Replied, BreakerLayer, BreakerState, Call, Catalog, ErrorKind, Health, HealthSettings, Model,
//!     ModelError, Tier,
//! };
//! # use std::time::Duration;
//! # use hooks_core::time::Timer;
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
//!
//! let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
//! let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let client = service_fn(async |_: Call| Err::<Replied<()>, _>(ModelError::new(ErrorKind::Server, "500")));
//! let stack = BreakerLayer::new(health.clone()).layer(client);
//!
//! for _ in 0..3 {
//!     let error = stack.clone().oneshot(call_to(opus)).await.expect_err("the model fails");
//!     assert_eq!(error.kind(), ErrorKind::Server);
//! }
//! assert_eq!(health.breaker(opus), BreakerState::Open);
//! let error = stack.clone().oneshot(call_to(opus)).await.expect_err("the breaker is open");
//! assert_eq!(error.kind(), ErrorKind::NotAdmitted);
//! assert_eq!(error.message(), "it kept failing; it is asked again later");
//!
//! // Half a minute later, one call passes as a probe.
//! time.sleep(Duration::from_secs(30)).await;
//! let error = stack.oneshot(call_to(opus)).await.expect_err("the model still fails");
//! assert_eq!(error.kind(), ErrorKind::Server);
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: one failure opens the breaker, for a minute or more.
//!
//! ```
//! # use hooks_resilience::{
//! #     Replied, BreakerLayer, Call, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, Tier,
//! # };
//! use std::time::Duration;
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
//! # let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let mut settings = HealthSettings::default();
//! settings.breaker.failures_in_a_row = 1;
//! settings.breaker.open = Duration::from_secs(60);
//! settings.breaker.open_at_most = Duration::from_secs(600);
//! let health = Health::new(&catalog, settings, world)?;
//! # let client = service_fn(async |_: Call| Err::<Replied<()>, _>(ModelError::new(ErrorKind::Server, "500")));
//! let stack = BreakerLayer::new(health).layer(client);
//!
//! stack.clone().oneshot(call_to(opus)).await.expect_err("the model fails");
//! let error = stack.oneshot(call_to(opus)).await.expect_err("the breaker is open");
//! let ready_at = error.ready_at().ok_or("a breaker knows when it admits a probe")?;
//! assert!(ready_at.0 >= Duration::from_secs(60));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod answered;
mod config;
mod core;
pub mod future;
mod layer;
mod outstanding;
mod service;
#[cfg(test)]
mod tests;
mod window;
mod wire;

pub(crate) use self::answered::AnsweredShare;
pub use self::config::BreakerConfig;
pub use self::core::BreakerState;
pub(crate) use self::core::{Core, Pass, Showed};
pub use self::layer::BreakerLayer;
pub(crate) use self::outstanding::Outstanding;
pub use self::service::Breaker;
pub(crate) use self::wire::Wire;
