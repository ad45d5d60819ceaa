//! Deadlines of calls.
//!
//! [`DeadlineLayer`] gives each call a deadline unless it has an earlier one. At the deadline the call fails
//! with [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded). All layers below know the deadline of the
//! call, and begin no wait that would outlast it.
//!
//! It allocates nothing, and arms a timer only if no attempt below has one. It belongs outside the
//! [`FallbackLayer`](crate::FallbackLayer): the deadline limits the whole call, while the
//! [`AttemptLayer`](crate::AttemptLayer) limits each attempt.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::DeadlineLayer;
pub use self::service::Deadline;
