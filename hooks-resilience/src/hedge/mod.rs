//! A second attempt beside a slow one; off unless asked for.
//!
//! [`HedgeLayer`] waits for a while, fixed or learned from how long the model took lately, and then asks the next model
//! of the chain that is ready, or the same one. The first answer wins, the other attempt is dropped. It buys short
//! tails with load, so it has a budget: a share of the calls.
//!
//! Only the first turn of a call is hedged: later ones have reasons not to ask certain models. A call whose tools ran
//! is not. The delay counts from the first time the attempt has to be waited for.
//!
//! It stands inside the [`FallbackLayer`](crate::FallbackLayer) and outside the [`RetryLayer`](crate::RetryLayer).

pub mod future;
mod layer;
mod recent;
mod service;
mod settings;

pub use self::layer::HedgeLayer;
pub use self::service::Hedge;
pub use self::settings::{HedgeDelay, HedgeSettings, HedgeTarget};
