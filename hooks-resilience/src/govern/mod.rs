//! Combines hooks with a stack, inside or outside of it.
//!
//! * [`Governed`] stands innermost: **each attempt** passes the hooks. If a policy denies a model, the chain
//!   goes on to the next one, which is judged anew. A budget counts every attempt, and the recovery that
//!   hooks propose after a failure narrows the reactions of the layers. So a fallback cannot circumvent a
//!   policy.
//! * [`Resilient`] stands outermost: it turns a stack into a plain model, for a host that puts hooks **around
//!   the whole call** (`GovernModel::new(hooks, Resilient::new(stack, world))`), or uses no hooks at all.
//!   These hooks see one call, however many attempts it took.
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
