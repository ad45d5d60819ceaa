//! By when there has to be an answer.
//!
//! [`DeadlineLayer`] gives each call a deadline, or an earlier one than it has, and answers by then: with
//! [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) where nobody else did. All layers below plan by the deadline
//! of the call, so that none of them begins a wait that would outlast it.
//!
//! It allocates nothing, and arms a timer only where no attempt below has one. It stands outside the
//! [`FallbackLayer`](crate::FallbackLayer): a deadline is one of the whole call, whatever it takes, while the
//! limit of one attempt is the [`AttemptLayer`](crate::AttemptLayer)'s.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::DeadlineLayer;
pub use self::service::DeadlineService;
