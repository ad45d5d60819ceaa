//! A second attempt beside a slow one; off by default.
//!
//! [`HedgeLayer`] waits for a delay, which is fixed or learned from the model's recent answers. Then it calls
//! the next ready model of the chain, or the same one. The first answer counts, and the other attempt is
//! dropped. This reduces the slowest answers at the price of load, so it has a budget: a share of the calls.
//!
//! Only the first turn of a call is hedged, because later ones avoid certain models. A call whose tools ran
//! is not hedged. The delay begins when the attempt first has to be waited for.
//!
//! The layer belongs inside the [`FallbackLayer`](crate::FallbackLayer) and outside the
//! [`RetryLayer`](crate::RetryLayer).

mod config;
pub mod future;
mod layer;
mod recent;
mod service;

pub use self::config::{HedgeConfig, HedgeDelay, HedgeTarget};
pub use self::layer::HedgeLayer;
pub use self::service::Hedge;
