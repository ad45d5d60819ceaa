//! One attempt: its time limits, and what its error means.
//!
//! [`AttemptLayer`] lifts a client, whatever it fails with, into a service of the stack: it ends the attempt at its own
//! limit, at the deadline of the call, or after its share of the time the call has where another model could answer in the
//! rest, whichever is first; it has the error read by a [`Classify`](crate::Classify), and takes a client that panics for
//! one that failed. Nothing of it is decided here: what to do about an error is for the
//! layers above to say.
//!
//! It costs no allocation, and one timer once the client has to be waited for; with it the layers above need none. A
//! call whose deadline has passed is answered by [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) and never
//! sent. It is the innermost layer, directly around the client; there is one in every stack.

pub mod future;
mod layer;
mod service;
#[cfg(test)]
mod tests;

pub use self::layer::{AttemptLayer, AttemptSettings};
pub use self::service::AttemptService;
