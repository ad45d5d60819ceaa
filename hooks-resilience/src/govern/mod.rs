//! Hooks and a stack together, either way round.
//!
//! * [`Governed`] stands at the bottom: **each attempt** goes through the hooks. A policy that forbids a model lets the
//!   chain go on to the next, which is judged anew; a budget counts every hop; what the hooks propose after a failure
//!   narrows what the layers do. This is how a fallback cannot lead around a policy.
//! * [`Resilient`] stands at the top: it makes a plain model of a stack, for a host that puts hooks **around the whole
//!   call** (`GovernModel::new(hooks, Resilient::new(stack, world))`), or none at all. Its hooks see one call, whatever
//!   it took.
//!
//! ```
//! use hooks_core::drivers::{GovernModel, ModelRequest};
//! use hooks_core::event::ModelReply;
//! use hooks_resilience::{ErrorKind, Governed, ModelError};
//! # use tower::service_fn;
//!
//! # fn stack(hooks: hooks_core::Hooks) {
//! let client = service_fn(|_request: ModelRequest| async { Err::<ModelReply, _>(ModelError::new(ErrorKind::Network, "down")) });
//! let leaf = Governed::new(GovernModel::new(hooks, client)); // AttemptLayer and the others go around it
//! # drop(leaf);
//! # }
//! ```

mod governed;
mod resilient;

#[cfg(test)]
mod tests;

pub use self::governed::{Governed, GovernedFuture};
pub use self::resilient::{Resilient, ResilientFuture};
