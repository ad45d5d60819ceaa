//! Stays below the provider's own limits.

pub mod future;
mod layer;
mod rate;
mod service;
mod shared;
mod slot;
#[cfg(test)]
mod tests;

pub use self::layer::PacingLayer;
pub(crate) use self::rate::Rate;
pub use self::service::PacingService;
pub(crate) use self::shared::SharedRate;
pub(crate) use self::slot::{Booked, Slot};
