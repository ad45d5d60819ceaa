//! The first attempt of most calls: the first model of the chain is ready, and the call has no history.

use hooks_core::time::Tick;

use super::adapt;
use super::layer::Shared;
use super::view::{View, earliest, soonest};
use crate::call::{Call, Replied};

/// The first attempt of `call` at `now`; `None` if it takes a [`Plan`](super::Plan) to decide. The result is
/// that of a plan: for a call without failures, a plan chooses the first model that is ready.
pub(super) fn first(shared: &Shared, call: &Call, now: Tick) -> Option<Call> {
    let is_late = call.deadline.is_some_and(|deadline| now >= deadline);
    if call.turn > 0 || call.retried || is_late || !call.let_down().is_empty() {
        return None;
    }
    let chain = shared.chains.known(call)?;
    if shared.settings.stay.is_some() && shared.stays.place(chain, now) > 0 {
        return None;
    }
    let (model, others) = chain.split_first()?;
    let (health, needs) = (&shared.health, call.needs());
    if View::readiness(health, model, needs, now).tick(now)? > now {
        return None;
    }
    shared.health.first_attempt(model);
    let mut attempt = adapt::fit(&*shared.adapt, call.clone(), model, model);
    attempt.now = Some(now);
    attempt.elsewhere = earliest(others.iter().filter_map(|other| soonest(health, other, needs, now)), now);
    attempt.turn = 1;
    attempt.set_tried(0);
    Some(attempt)
}

/// Completes the answer of the first attempt of `call`.
pub(super) fn replied<R>(shared: &Shared, call: &Call, replied: &mut Replied<R>) {
    release(&mut replied.call);
    if let Some(stay) = shared.settings.stay
        && let Some(chain) = shared.chains.known(call)
    {
        let (model, now) = (replied.model.as_deref(), shared.health.world().tick());
        shared.stays.served(chain, 0, model, now, stay);
    }
}

/// Resets the call of an answer, so that its receiver may send it again.
pub(super) fn release(call: &mut Call) {
    (call.turn, call.elsewhere) = (0, None);
    call.set_tried(0);
    call.set_began(None);
}
