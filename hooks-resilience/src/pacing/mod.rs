//! Stays below the provider's own limits.
//!
//! [`PacingLayer`] sends calls no faster than their quota allows, in requests and tokens per minute. The
//! limits are those of the catalog, or lower ones that the provider reported. Rates use the generic cell rate
//! algorithm. The rates of a fleet are kept in its store; while that is unavailable, each instance keeps to
//! its share.
//!
//! A call that has to wait books a slot, so that waiting calls are sent one after the other. If it would wait
//! beyond its deadline, or until another model could answer, it fails with
//! [`NotAdmitted`](crate::ErrorKind::NotAdmitted) at once, with the time of the next room.
//!
//! A model without limits costs nothing; one with its own limits costs a lock. The layer belongs outside the
//! [`BreakerLayer`](crate::BreakerLayer), which is asked once the wait is over, and inside the
//! [`RetryLayer`](crate::RetryLayer), so that each attempt is paced.
//!
//! ```
//! use std::time::Duration;
//! use hooks_core::time::Clock;
//! use hooks_resilience::{
//!     Replied, Call, Catalog, Health, HealthSettings, Model, ModelError, PacingLayer, Tier,
//! };
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
//! let mut opus = Model::new("opus", "anthropic", Tier::Premium);
//! opus.limits.requests_per_minute = Some(60);
//! let catalog = Catalog::new([opus])?;
//! let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let client = service_fn(async |call: Call| Ok::<_, ModelError>(Replied::new(call, "yes")));
//! let stack = PacingLayer::new(health).layer(client);
//!
//! // One call a second. At first, a small burst is allowed.
//! for _ in 0..31 {
//!     stack.clone().oneshot(call_to(opus)).await?;
//! }
//! let took = time.tick().0;
//! assert!(took >= Duration::from_secs(25) && took <= Duration::from_secs(30), "{took:?}");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: no burst, and a call that must be answered within half a second.
//!
//! ```
//! # use std::time::Duration;
//! # use hooks_core::time::{Clock, Tick};
//! use hooks_resilience::ErrorKind;
//! # use hooks_resilience::{
//! #     Replied, Call, Catalog, Health, HealthSettings, Model, ModelError, PacingLayer, Tier,
//! # };
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
//! # let mut opus = Model::new("opus", "anthropic", Tier::Premium);
//! # opus.limits.requests_per_minute = Some(60);
//! # let catalog = Catalog::new([opus])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let mut settings = HealthSettings::default();
//! settings.burst = Duration::ZERO;
//! let health = Health::new(&catalog, settings, world)?;
//! # let client = service_fn(async |call: Call| Ok::<_, ModelError>(Replied::new(call, "yes")));
//! let stack = PacingLayer::new(health).layer(client);
//!
//! stack.clone().oneshot(call_to(opus)).await?;
//! let hurried = call_to(opus).until(Tick(Duration::from_millis(500)));
//! let error = stack.oneshot(hurried).await.expect_err("the next request may be sent in a second");
//! assert_eq!((error.kind(), error.message()), (ErrorKind::NotAdmitted, "its rate is used up"));
//! assert_eq!(error.ready_at(), Some(Tick(Duration::from_secs(1))));
//! assert_eq!(time.tick(), Tick::default(), "it fails at once");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

pub(crate) mod caution;
pub mod future;
mod layer;
mod rate;
mod service;
mod shared;
mod slot;
#[cfg(test)]
mod tests;

pub(crate) use self::caution::{Caution, Ladder};
pub use self::layer::PacingLayer;
pub(crate) use self::rate::Rate;
pub use self::service::Pacing;
pub(crate) use self::shared::SharedRate;
pub(crate) use self::slot::{Booked, Slot};
