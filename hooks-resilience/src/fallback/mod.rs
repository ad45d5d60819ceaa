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

mod adapt;
mod config;
mod first;
pub mod future;
mod layer;
mod parking;
mod past;
mod plan;
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
