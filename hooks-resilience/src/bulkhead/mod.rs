//! Limits the concurrent calls of each provider.
//!
//! [`BulkheadLayer`] has a number of places for each provider, and for each quota that limits its concurrent
//! calls. A provider that hangs then blocks its own places and no others. Calls without a place wait in order
//! of arrival, until the deadline or until another model could answer. After that they fail with
//! [`NotAdmitted`](crate::ErrorKind::NotAdmitted) or
//! [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded).
//!
//! A place costs one atomic operation; waiting for one costs a box and a timer. The place is freed when its
//! call ends or is dropped. The layer belongs inside the [`BreakerLayer`](crate::BreakerLayer), so that no
//! call waits for a place that the breaker would not admit.
//!
//! ```
//! use std::time::Duration;
//! use hooks_core::time::{Clock, Timer};
//! use hooks_resilience::{Replied, BulkheadLayer, Call, Catalog, Model, ModelError, Tier};
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
//! // Each answer takes 10 s, and the provider gets two calls at a time.
//! let clock = time.clone();
//! let stack = BulkheadLayer::new(&catalog, world, 2)?.layer(service_fn(async |call: Call| {
//!     clock.sleep(Duration::from_secs(10)).await;
//!     Ok::<_, ModelError>(Replied::new(call, "yes"))
//! }));
//! let calls = (0..4).map(|_| stack.clone().oneshot(call_to(opus)));
//! for answered in futures_util::future::join_all(calls).await {
//!     assert_eq!(answered?.reply, "yes");
//! }
//! assert_eq!(time.tick().0, Duration::from_secs(20), "two calls waited for a place");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: a model whose quota allows one call at a time, and a call that must be answered within 5 s.
//!
//! ```
//! # use std::time::Duration;
//! # use hooks_core::time::{Tick, Timer};
//! use hooks_resilience::ErrorKind;
//! # use hooks_resilience::{Replied, BulkheadLayer, Call, Catalog, Model, ModelError, Tier};
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
//! let mut opus = Model::new("opus", "anthropic", Tier::Premium);
//! opus.limits.concurrent = Some(1);
//! let catalog = Catalog::new([opus])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! # let clock = time.clone();
//! let stack = BulkheadLayer::new(&catalog, world, 256)?.layer(service_fn(async |call: Call| {
//!     clock.sleep(Duration::from_secs(10)).await;
//!     Ok::<_, ModelError>(Replied::new(call, "yes"))
//! }));
//! let first = stack.clone().oneshot(call_to(opus));
//! let second = stack.oneshot(call_to(opus).until(Tick(Duration::from_secs(5))));
//! let (first, second) = futures_util::future::join(first, second).await;
//! assert_eq!(first?.reply, "yes");
//! assert_eq!(second.expect_err("the place is taken").kind(), ErrorKind::DeadlineExceeded);
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::BulkheadLayer;
pub use self::service::Bulkhead;
