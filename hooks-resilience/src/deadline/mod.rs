//! Deadlines of calls.
//!
//! [`DeadlineLayer`] gives each call a deadline unless it has an earlier one. At the deadline the call fails
//! with [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded). All layers below know the deadline of the
//! call, and begin no wait that would outlast it.
//!
//! It allocates nothing, and arms a timer only if no attempt below has one. It belongs outside the
//! [`FallbackLayer`](crate::FallbackLayer): the deadline limits the whole call, while the
//! [`AttemptLayer`](crate::AttemptLayer) limits each attempt.
//!
//! ```
//! use std::time::Duration;
//! use hooks_core::time::{Clock, Timer};
//! use hooks_resilience::{Replied, Call, DeadlineLayer, ErrorKind, ModelError};
//! use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
//!
//! let clock = time.clone();
//! let stack = DeadlineLayer::new(world, Duration::from_secs(120))?.layer(service_fn(async |call: Call| {
//!     clock.sleep(Duration::from_secs(3_600)).await;
//!     Ok::<_, ModelError>(Replied::new(call, "an hour later"))
//! }));
//! let error = stack.oneshot(call).await.expect_err("the answer takes an hour");
//! assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
//! assert_eq!(time.tick().0, Duration::from_secs(120));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: one call has an earlier deadline, and every call can read its own.
//!
//! ```
//! # use std::time::Duration;
//! # use hooks_core::time::Tick;
//! # use hooks_resilience::{Replied, Call, DeadlineLayer, ModelError};
//! # use tower::{Layer, ServiceExt, service_fn};
//! # use hooks_core::{BoxError, Environment, testing::VirtualTime};
//! # let time = VirtualTime::default();
//! # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
//! # let world = hooks_resilience::World::new(&environment, time.clone());
//! # time.clone().block_on(async {
//! # let call = || Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
//! let stack = DeadlineLayer::new(world, Duration::from_secs(120))?.layer(service_fn(async |call: Call| {
//!     let deadline = call.deadline;
//!     Ok::<_, ModelError>(Replied::new(call, deadline))
//! }));
//! let seconds = |seconds| Some(Tick(Duration::from_secs(seconds)));
//! assert_eq!(stack.clone().oneshot(call()).await?.reply, seconds(120));
//! let hurried = call().until(Tick(Duration::from_secs(5)));
//! assert_eq!(stack.clone().oneshot(hurried).await?.reply, seconds(5));
//! let patient = call().until(Tick(Duration::from_secs(900)));
//! assert_eq!(stack.oneshot(patient).await?.reply, seconds(120), "a later deadline does not count");
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::DeadlineLayer;
pub use self::service::Deadline;
