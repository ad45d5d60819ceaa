//! Limits the concurrent calls of each provider.
//!
//! [`BulkheadLayer`] has a number of places for each provider, and for each quota that limits its concurrent
//! calls. A provider that hangs then blocks its own places and no others. Calls without a place wait in order
//! of arrival, until the deadline or until another model could answer. After that they fail with
//! [`NotAdmitted`](crate::ErrorKind::NotAdmitted) or
//! [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded).
//!
//! A place costs one atomic operation; waiting for one costs a box and a timer. The place is freed when its
//! call ends or is dropped. The layer belongs inside the [`BreakerLayer`](crate::BreakerLayer), so that no
//! call waits for a place that the breaker would not admit.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::BulkheadLayer;
pub use self::service::Bulkhead;
