//! Errors of model calls, and the treatment of each kind.
//!
//! [`ErrorKind`] lists the kinds, [`ModelError`] is the error type, and [`Treatment`] is the reaction to a
//! kind.

mod kind;
mod model_error;
mod treatment;

pub use self::kind::ErrorKind;
pub use self::model_error::ModelError;
pub(crate) use self::treatment::LONGEST_TOLD;
pub use self::treatment::{Backoff, BreakerVote, NextModel, SameModel, Treatment, Treatments};
