//! Stays below the provider's own limits.
//!
//! [`PacingLayer`] sends calls no faster than their quota lets through, of requests and of tokens a minute: as the
//! catalog says, or less where the provider has told so. Rates are kept by the generic cell rate algorithm; those of a
//! fleet by its store, and while that is away each instance keeps to its share. A call that has to wait books its
//! place, so that those who wait go one after the other; one that would wait beyond its deadline, or until another model
//! could answer, is answered by [`NotAdmitted`](crate::ErrorKind::NotAdmitted) at once, with the moment there is room.
//!
//! A model without limits costs nothing; one with limits of its own a lock. It stands outside the
//! [`BreakerLayer`](crate::BreakerLayer), which is asked once the wait is over, and inside the
//! [`RetryLayer`](crate::RetryLayer): each attempt is paced.

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
pub use self::service::PacingService;
pub(crate) use self::shared::SharedRate;
pub(crate) use self::slot::{Booked, Slot};
