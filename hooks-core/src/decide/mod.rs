//! Deciders: hooks that judge an event and may wait, such as a command, a model, or a network service.
//!
//! A [`Policy`](crate::Policy) cannot wait; a [`Decider`] can. It is a service whose response is an
//! [`Opinion`]. [`DecideLayer`] puts it in front of an inner hook and keeps law 2: if the arguments are
//! rewritten after the decider judged them, it is asked again.

pub mod future;
mod layer;
mod service;

pub use self::layer::DecideLayer;
pub use self::service::DecideService;

use std::fmt;

use tower_service::Service;

use crate::error::HookError;
use crate::event::Event;
use crate::outcome::Judged;
use crate::request::HookRequest;
use crate::verdict::Strength;

/// The answer of a decider: an outcome, and optionally a change of the event.
pub struct Opinion<E: Event> {
    /// Outcome for the event as the decider received it.
    pub outcome: E::Outcome,
    /// Change of the event. It is ignored if the event is final.
    pub rewrite: Option<E::Rewrite>,
}

impl<E: Event> Opinion<E> {
    /// An opinion that changes nothing.
    pub fn new(outcome: impl Into<E::Outcome>) -> Self {
        Self { outcome: outcome.into(), rewrite: None }
    }

    /// Adds a change of the event.
    #[must_use]
    pub fn rewriting(mut self, rewrite: E::Rewrite) -> Self {
        self.rewrite = Some(rewrite);
        self
    }
}

impl<E: Event> Opinion<E>
where
    E::Outcome: Judged<E>,
{
    /// The outcome for a final event: an allow that comes with a change becomes no opinion.
    fn about_final(mut self) -> E::Outcome {
        if self.rewrite.is_some() && self.outcome.strength() <= Strength::Allow {
            self.outcome.make_stale();
        }
        self.outcome
    }
}

impl<E: Event<Outcome: fmt::Debug>> fmt::Debug for Opinion<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opinion")
            .field("outcome", &self.outcome)
            .field("rewrites", &self.rewrite.is_some())
            .finish()
    }
}

/// A service that gives an opinion on an event. This is a trait alias: every such service implements it.
///
/// It may wait. If the event is rewritten after its opinion, it is called a second time, about the final
/// event; so a call must not have an effect that may happen only once. Its error is the error of the stack; a
/// [`FailureLayer`](crate::FailureLayer) outside turns it into an outcome.
pub trait Decider<E: Event>: Service<HookRequest<E>, Response = Opinion<E>, Error = HookError> {}

impl<E: Event, D> Decider<E> for D where D: Service<HookRequest<E>, Response = Opinion<E>, Error = HookError> {}
