//! Stays below the provider's own limits.
//!
//! [`PacingLayer`] sends calls no faster than their quota allows, in requests and tokens per minute. The
//! limits are those of the catalog, or lower ones that the provider reported. Rates use the generic cell rate
//! algorithm. The rates of a fleet are kept in its store; while that is unavailable, each instance keeps to
//! its share.
//!
//! A call that has to wait books a slot, so that waiting calls are sent one after the other. If it would wait
//! beyond its deadline, or until another model could answer, it fails with
//! [`NotAdmitted`](crate::ErrorKind::NotAdmitted) at once, with the time of the next room.
//!
//! A model without limits costs nothing; one with its own limits costs a lock. The layer belongs outside the
//! [`BreakerLayer`](crate::BreakerLayer), which is asked once the wait is over, and inside the
//! [`RetryLayer`](crate::RetryLayer), so that each attempt is paced.

pub(crate) mod caution;
pub mod future;
mod layer;
mod rate;
mod service;
mod shared;
mod slot;
#[cfg(test)]
mod tests;

pub(crate) use self::caution::{Caution, Ladder};
pub use self::layer::PacingLayer;
pub(crate) use self::rate::Rate;
pub use self::service::Pacing;
pub(crate) use self::shared::SharedRate;
pub(crate) use self::slot::{Booked, Slot};
