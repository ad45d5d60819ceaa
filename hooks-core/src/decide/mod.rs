//! Deciders that wait: a command, a model, a service over the network.
//!
//! What a [`Policy`](crate::Policy) cannot do because it takes time is a [`Decider`]: a service that answers
//! an [`Opinion`]. [`DecideLayer`] puts it in front of an inner hook and keeps law 2: a verdict on arguments
//! that were rewritten later is given again.

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

/// What a decider answers: an outcome, and perhaps a change of the event.
pub struct Opinion<E: Event> {
    /// What it says about the event as it was asked.
    pub outcome: E::Outcome,
    /// What it wants changed. Ignored where the event is final.
    pub rewrite: Option<E::Rewrite>,
}

impl<E: Event> Opinion<E> {
    /// An opinion that changes nothing.
    pub fn new(outcome: impl Into<E::Outcome>) -> Self {
        Self { outcome: outcome.into(), rewrite: None }
    }

    /// Wants the event changed.
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
    /// Its outcome about an event that is final: an allow that comes with a change is no opinion.
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

/// A service that gives an opinion on an event: an alias, implemented by every such service.
pub trait Decider<E: Event>: Service<HookRequest<E>, Response = Opinion<E>, Error = HookError> {}

impl<E: Event, D> Decider<E> for D where D: Service<HookRequest<E>, Response = Opinion<E>, Error = HookError> {}
