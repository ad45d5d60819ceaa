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

pub use self::config::BreakerConfig;
pub use self::core::BreakerState;
pub(crate) use self::core::{Core, Pass, Showed};
pub use self::layer::BreakerLayer;
pub(crate) use self::outstanding::Outstanding;
pub use self::service::Breaker;
pub(crate) use self::wire::Wire;
