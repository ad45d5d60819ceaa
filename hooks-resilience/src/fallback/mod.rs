//! Which model is asked, and which one next.
//!
//! [`FallbackLayer`] takes a call's [`Chain`](crate::Chain), asks the first model of it that is ready, and goes on
//! after a failure as the [`Treatments`](crate::Treatments) say: to the next model, to another provider, to a larger
//! window, or not at all. While no model is ready it parks the call until the earliest one is, or says that none will
//! be in time. What it does next is decided by a [`Plan`], which knows neither futures nor clocks.
//!
//! A model that failed may be asked again by the same call once its pause is over, as often as its treatment allows
//! and as long as the provider's retry budget lasts; a model that was not asked yet goes first.
//!
//! ```text
//! FallbackLayer > OverflowLayer > HedgeLayer > RetryLayer > PacingLayer > BreakerLayer > ... > client
//! ```
//!
//! There is one in a stack: a second one inside, or a retry loop around it, multiplies the attempts and is refused
//! with [`ErrorKind::NestedRetry`](crate::ErrorKind::NestedRetry).

mod adapt;
mod first;
pub mod future;
mod layer;
mod parking;
mod past;
mod plan;
mod run;
mod service;
mod settings;
mod stay;
mod step;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use self::adapt::fit;
pub use self::adapt::{Adapt, DropForeignThinking};
pub use self::layer::FallbackLayer;
pub use self::parking::{ParkedCall, Parking};
pub use self::plan::Plan;
pub use self::service::Fallback;
pub use self::settings::FallbackSettings;
pub use self::step::{End, Step};
pub use self::view::View;
