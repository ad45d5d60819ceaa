//! One attempt: its time limits, and the classification of its error.
//!
//! [`AttemptLayer`] turns a client with any error type into a service of the stack. It ends the attempt at
//! the earliest of three limits: the attempt's own timeout, the deadline of the call, or its share of the
//! call's time if another model could answer in the rest. A [`Classify`](crate::Classify) reads the error,
//! and a client that panics counts as failed. This layer does not react to errors; the layers above do.
//!
//! A call costs no allocation, and one timer once the client has to be waited for; the layers above then need
//! no timer of their own. A call whose deadline has passed fails with
//! [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) and is never sent. Every stack has this layer,
//! innermost, directly around the client.
//!
//! ```
//! use std::io;
//! use std::sync::Arc;
//! use hooks_core::time::StoppedClock;
//! use hooks_resilience::{AttemptLayer, AttemptConfig, Call, Catalog, Classifiers, ErrorKind, Model, Tier};
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
//! let classifiers = Classifiers::new(Arc::new(StoppedClock::default()));
//! let layer = AttemptLayer::new(world, AttemptConfig::default(), classifiers)?;
//!
//! let broken = service_fn(async |_: Call| {
//!     Err::<String, _>(io::Error::new(io::ErrorKind::ConnectionReset, "connection reset by peer"))
//! });
//! let error = layer.layer(broken).oneshot(call_to(opus)).await.expect_err("the connection breaks");
//! assert_eq!((error.kind(), error.model().map(|name| &**name)), (ErrorKind::Network, Some("opus")));
//!
//! let works = service_fn(async |_: Call| Ok::<_, io::Error>("yes"));
//! let answered = layer.layer(works).oneshot(call_to(opus)).await?;
//! assert_eq!((answered.reply, answered.model.as_ref()), ("yes", Some(opus)));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: five seconds for each attempt, with a client that returns once a stream begins.
//!
//! ```
//! # use std::time::Duration;
//! # use hooks_core::time::Timer;
//! # use hooks_resilience::{
//! #     AttemptLayer, AttemptConfig, Call, Catalog, Classified, ErrorKind, Model, ModelError, Tier,
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
//! # let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
//! # let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let five_seconds = AttemptConfig::default().with_timeout(Duration::from_secs(5));
//! for (settings, kind) in [
//!     (five_seconds, ErrorKind::AttemptTimeout),
//!     (five_seconds.streaming(), ErrorKind::FirstByteTimeout),
//! ] {
//!     let clock = time.clone();
//!     let slow = service_fn(async |_: Call| {
//!         clock.sleep(Duration::from_secs(6)).await;
//!         Ok::<_, ModelError>("late")
//!     });
//!     let stack = AttemptLayer::new(world.clone(), settings, Classified)?.layer(slow);
//!     let error = stack.oneshot(call_to(opus)).await.expect_err("the answer takes 6 s");
//!     assert_eq!(error.kind(), kind);
//! }
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::{AttemptConfig, AttemptLayer};
pub use self::service::Attempt;
