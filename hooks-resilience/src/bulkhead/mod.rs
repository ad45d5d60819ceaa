//! So many calls of one provider at a time.
//!
//! [`BulkheadLayer`] has a number of places for each provider, and for each quota that says how many calls it lets
//! through at once. One provider that hangs then holds its own places and nobody else's. Who finds none waits in order
//! of arrival, no longer than until the deadline or until another model could answer, and is then answered by
//! [`NotAdmitted`](crate::ErrorKind::NotAdmitted) or [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded).
//!
//! A place costs one atomic operation; to wait for one costs a box and a timer. It is free when its call ends or is
//! dropped. It stands inside the [`BreakerLayer`](crate::BreakerLayer), so that nobody waits for a place whom the
//! breaker would not let through.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::BulkheadLayer;
pub use self::service::BulkheadService;
