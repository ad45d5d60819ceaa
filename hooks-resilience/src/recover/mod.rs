//! The same judgement for hosts that own their loop: hooks that answer what to do next.
//!
//! [`RecoverModel`] answers `error_occurred`, [`RecoverSpawn`] `spawn_failed`, each with a
//! [`Recovery`](hooks_core::Recovery): whether to try again, with which model, after how long, and why. They judge by
//! the same [`Treatments`](crate::Treatments), [`Chains`](crate::Chains) and [`Health`](crate::Health) as the layers do,
//! through the same [`Plan`](crate::fallback::Plan), and remember nothing themselves: what a call went through is the
//! attempt number of the event.
//!
//! What kind of error it is they read from the event's type and text; a host that knows better gives them a reader
//! of its own.

mod advice;
mod hooks;
#[cfg(test)]
mod tests;
mod text;

pub use self::advice::Advisor;
pub use self::hooks::{RecoverModel, RecoverSpawn};
pub use self::text::read_text;
