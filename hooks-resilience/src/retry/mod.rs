//! The same model again, after a pause.
//!
//! [`RetryLayer`] repeats an attempt as the [`SameModel`](crate::SameModel) of its error says: after a pause with full
//! jitter, or once the provider's own time has passed, never earlier. It does not wait where that makes no sense: not
//! where the provider wants to be left alone for long, not beyond the deadline, not beyond the moment at which another model could answer ([`Call::elsewhere`]), not without
//! the provider's retry budget. What it does not wait for goes up as the error, with the moment at which the model may
//! be asked again; a [`FallbackLayer`](crate::FallbackLayer) above takes it from there, and the attempts made here
//! count there.
//!
//! It also serves alone. There is one in a stack: finding another above, it refuses with
//! [`ErrorKind::NestedRetry`](crate::ErrorKind::NestedRetry), because attempts would multiply. A call whose tools ran
//! is not repeated.
//!
//! [`Call::elsewhere`]: crate::Call::elsewhere

mod again;
pub mod future;
mod kept;
mod layer;
mod service;
mod settings;

pub use self::layer::RetryLayer;
pub use self::service::Retry;
pub use self::settings::RetrySettings;
