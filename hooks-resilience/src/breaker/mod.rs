//! Leaves a model alone that keeps failing.
//!
//! [`BreakerLayer`] counts how calls of each model end. Too many failures of a window, too many slow answers, or a few
//! failures in a row open the breaker: then no call gets through until one is let out as a probe, and comes back well.
//! What an error says of the model's health is the [`BreakerVote`](crate::BreakerVote) of its treatment. The provider
//! has a breaker too, for what is true of all its models, such as credentials that are refused. Both stand in the
//! [`Health`](crate::Health) that all layers, and instances that share a store, have in common.
//!
//! A call that is not let through is answered by [`NotAdmitted`](crate::ErrorKind::NotAdmitted), which says from when
//! on it would be; nobody waits here. While all is well it takes one lock and allocates nothing. It stands inside the
//! layers that wait ([`PacingLayer`](crate::PacingLayer)), so that it judges by what is known when the call goes out,
//! and around the [`AttemptLayer`](crate::AttemptLayer), whose time limits it counts.

mod core;
pub mod future;
mod layer;
mod outstanding;
mod service;
mod settings;
#[cfg(test)]
mod tests;
mod window;
mod wire;

pub use self::core::BreakerState;
pub(crate) use self::core::{Core, Pass, Showed};
pub use self::layer::BreakerLayer;
pub(crate) use self::outstanding::Outstanding;
pub use self::service::BreakerService;
pub use self::settings::BreakerSettings;
pub(crate) use self::wire::Wire;
