//! The same judgement for hosts that own their loop: hooks that answer what to do next.
//!
//! [`RecoverModel`] answers `error_occurred`, [`RecoverSpawn`] `spawn_failed`, each with a
//! [`Recovery`](hooks_core::Recovery): whether to try again, with which model, after how long, and why. They judge by
//! the same [`Treatments`](crate::Treatments), [`Chains`](crate::Chains) and [`Health`](crate::Health) as the layers do,
//! through the same [`Plan`](crate::fallback::Plan). Of the call they remember nothing: what it went through is the
//! attempt number of the event. What they add to the health is what is true for everybody: a time that a provider gave
//! for a model of the catalog is kept to, and a further attempt is taken from the retry budget. Where a stack over the
//! same health tells of the failure ([`Governed::treating_by`](crate::Governed::treating_by)) they add neither: the
//! stack does both, and twice would be once too often.
//!
//! They tell no breaker how a call went. Hooks hear of failures and never of a good answer: by failures alone a breaker
//! opens after a few of them in any time, and never hears that the model is well again. And below a stack with
//! [`Governed`](crate::Governed), which tells its breaker itself, each failure would count twice. A host that wants its
//! breakers fed asks [`Health::admit`](crate::Health::admit) before a call, and tells the permit how it went.
//!
//! What kind of error it is they read from the event's type and text, by the
//! [`Classifiers`](crate::Classifiers) that a host may add readers of its own to ([`Advisor::classifying`]).

mod advice;
mod hooks;
#[cfg(test)]
mod tests;
mod text;

pub use self::advice::Advisor;
pub use self::hooks::{RecoverModel, RecoverSpawn};
#[cfg(test)]
pub(crate) use self::text::read_text;
