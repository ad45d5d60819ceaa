//! What goes wrong with a model call, and what is done about each kind.
//!
//! [`ErrorKind`] is the taxonomy, [`ModelError`] the error that carries one, [`Treatment`] the answer to each.

mod kind;
mod model_error;
mod treatment;

pub use self::kind::ErrorKind;
pub use self::model_error::ModelError;
pub(crate) use self::treatment::LONGEST_TOLD;
pub use self::treatment::{Backoff, BreakerVote, NextModel, SameModel, Treatment, Treatments};
