//! One attempt: its time limits, and the classification of its error.
//!
//! [`AttemptLayer`] turns a client with any error type into a service of the stack. It ends the attempt at
//! the earliest of three limits: the attempt's own timeout, the deadline of the call, or its share of the
//! call's time if another model could answer in the rest. A [`Classify`](crate::Classify) reads the error,
//! and a client that panics counts as failed. This layer does not react to errors; the layers above do.
//!
//! A call costs no allocation, and one timer once the client has to be waited for; the layers above then need
//! no timer of their own. A call whose deadline has passed fails with
//! [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) and is never sent. Every stack has this layer,
//! innermost, directly around the client.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::{AttemptConfig, AttemptLayer};
pub use self::service::Attempt;
