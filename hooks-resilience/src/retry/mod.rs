//! Retries with the same model, after a pause.
//!
//! [`RetryLayer`] repeats an attempt as the [`SameModel`](crate::SameModel) of its error defines: after a
//! pause with full jitter, or once the wait that the provider stated is over, never earlier. It does not
//! retry if the stated wait is long, or beyond the deadline, or beyond the time at which another model could
//! answer ([`Call::elsewhere`]), or if the provider's retry budget is used up. It then returns the error with
//! the time from which the model may be called again. A [`FallbackLayer`](crate::FallbackLayer) above
//! continues from there, and counts the attempts made here.
//!
//! The layer also works alone. A stack has one: if there is another above, it fails with
//! [`ErrorKind::NestedRetry`](crate::ErrorKind::NestedRetry), because attempts would multiply. A call whose
//! tools ran is not repeated.
//!
//! [`Call::elsewhere`]: crate::Call::elsewhere

mod again;
mod config;
pub mod future;
mod kept;
mod layer;
mod service;

pub use self::config::RetryConfig;
pub use self::layer::RetryLayer;
pub use self::service::Retry;
