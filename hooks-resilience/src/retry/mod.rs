//! Retries with the same model, after a pause.
//!
//! [`RetryLayer`] repeats an attempt as the [`SameModel`](crate::SameModel) of its error defines: after a
//! pause with full jitter, or once the wait that the provider stated is over, never earlier. It does not
//! retry if the stated wait is long, or beyond the deadline, or beyond the time at which another model could
//! answer ([`Call::elsewhere`]), or if the provider's retry budget is used up. It then returns the error with
//! the time from which the model may be called again. A [`FallbackLayer`](crate::FallbackLayer) above
//! continues from there, and counts the attempts made here.
//!
//! The layer also works alone. A stack has one: if there is another above, it fails with
//! [`ErrorKind::NestedRetry`](crate::ErrorKind::NestedRetry), because attempts would multiply. A call whose
//! tools ran is not repeated.
//!
//! [`Call::elsewhere`]: crate::Call::elsewhere
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use hooks_resilience::{
//!     Replied, Call, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, RetryLayer,
//!     RetryConfig, Tier,
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
//! let catalog = Catalog::new([Model::new("opus", "anthropic", Tier::Premium)])?;
//! let opus = catalog.get("opus").ok_or("the catalog lists it")?;
//! let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! // The model is overloaded twice, and answers then.
//! let attempts = Arc::new(AtomicU32::new(0));
//! let client = service_fn(move |call: Call| {
//!     std::future::ready(match attempts.fetch_add(1, Ordering::SeqCst) {
//!         0 | 1 => Err(ModelError::new(ErrorKind::Overloaded, "come back later")),
//!         _ => Ok(Replied::new(call, "yes")),
//!     })
//! });
//! let stack = RetryLayer::new(health, RetryConfig::default())?.layer(client);
//! let answered = stack.oneshot(call_to(opus)).await?;
//! assert_eq!((answered.reply, answered.failed.len()), ("yes", 2));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```
//!
//! Customised: two attempts, the second at most 100 ms after the first.
//!
//! ```
//! # use std::time::Duration;
//! # use hooks_core::time::Clock;
//! use hooks_resilience::Backoff;
//! # use hooks_resilience::{
//! #     Replied, Call, Catalog, ErrorKind, Health, HealthSettings, Model, ModelError, RetryLayer,
//! #     RetryConfig, Tier,
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
//! # let health = Health::new(&catalog, HealthSettings::default(), world)?;
//! let short = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
//! let settings = RetryConfig::default().with_max_attempts(2).with_backoff(short);
//! let client = service_fn(async |_: Call| Err::<Replied<()>, _>(ModelError::new(ErrorKind::Overloaded, "busy")));
//! let stack = RetryLayer::new(health, settings)?.layer(client);
//! let error = stack.oneshot(call_to(opus)).await.expect_err("the model stays overloaded");
//! assert_eq!((error.kind(), error.failed().len()), (ErrorKind::Overloaded, 1), "one attempt before this error");
//! assert!(time.tick().0 <= Duration::from_millis(100));
//! # Ok::<(), BoxError>(())
//! # }).ok_or("only the timer is waited for")??;
//! # Ok::<(), BoxError>(())
//! ```

mod again;
mod config;
pub mod future;
mod kept;
mod layer;
mod service;

pub use self::config::RetryConfig;
pub use self::layer::RetryLayer;
pub use self::service::Retry;
