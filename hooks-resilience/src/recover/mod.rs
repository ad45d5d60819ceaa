//! Recovery for hosts with their own loop: hooks that return the next step.
//!
//! [`RecoverModel`] answers `error_occurred`, and [`RecoverSpawn`] answers `spawn_failed`. Both return a
//! [`Recovery`](hooks_core::Recovery): whether to try again, with which model, after how long, and why. They
//! use the same [`Treatments`](crate::Treatments), [`Chains`](crate::Chains) and [`Health`](crate::Health) as
//! the layers, through the same [`Plan`](crate::fallback::Plan).
//!
//! They remember nothing of a call; its history is the attempt number of the event. They update the health
//! record only with facts that hold for all calls: a wait that a provider stated for a model of the catalog
//! is respected, and a further attempt is taken from the retry budget. If a stack with the same health record
//! reports the failure ([`Governed::treating_by`](crate::Governed::treating_by)), they update neither,
//! because the stack does both.
//!
//! They report no results to breakers. Hooks receive failures but no successes. From failures alone, a
//! breaker would open after a few of them over any time, and would never learn that the model is well again.
//! Below a stack with [`Governed`](crate::Governed), which reports to its breaker itself, each failure would
//! count twice. A host that wants to use breakers calls [`Health::admit`](crate::Health::admit) before a
//! call, and reports the result to the permit.
//!
//! The kind of error is read from the event's type and text, by the [`Classifiers`](crate::Classifiers), to
//! which a host may add readers of its own ([`Advisor::classifying`]).

mod advice;
mod hooks;
#[cfg(test)]
mod tests;
mod text;

pub use self::advice::Advisor;
pub use self::hooks::{RecoverModel, RecoverSpawn};
#[cfg(test)]
pub(crate) use self::text::read_text;
