//! The course of one call: its plan and its history.

use std::sync::Arc;
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::time::Tick;

use super::layer::Shared;
use super::parking::{ParkedCall, ParkingPlace};
use super::plan::Plan;
use super::step::{End, Step};
use super::{adapt, first};
use crate::call::{Call, FailedAttempt, Replied};
use crate::duration;
use crate::duration::nanos;
use crate::error::{ErrorKind, ModelError};
use crate::spare::Spare;
use crate::world::World;

/// The course of one call.
pub(super) struct Run<S> {
    shared: Arc<Spare<S, Shared>>,
    call: Call,
    plan: Plan,
    /// Place of the current model in the chain.
    place: usize,
    turn: u32,
    /// Place of a parked call that wakes and checks the models again.
    held: Option<ParkingPlace>,
    /// Failed attempts and skipped models, in order.
    failed: Vec<FailedAttempt>,
    /// The most informative error so far, and its place in `failed`.
    telling: Option<(usize, ModelError)>,
}

/// The next step.
pub(super) enum Next {
    Ask(Call),
    Wait(Wait),
    End(ModelError),
}

/// The wait of a parked call: it wakes at the end of `sleep`, and frees its place when dropped.
pub(super) struct Wait {
    pub(super) sleep: HookFuture<'static, ()>,
    pub(super) place: Option<ParkingPlace>,
}

/// The longest jitter of a wait, so that calls that wait for the same moment do not all return at once: a
/// tenth of the wait, up to this limit.
const LONGEST_JITTER: Duration = Duration::from_secs(1);

/// The longest jitter of a call that wakes for a last chance.
const LAST_JITTER: Duration = Duration::from_millis(500);

impl<S> Run<S> {
    pub(super) fn new(call: Call, shared: Arc<Spare<S, Shared>>, now: Tick) -> Result<Self, ModelError> {
        if call.turn > 0 || call.retried {
            return Err(nested(&call));
        }
        let chain = shared.chains.for_call(&call)?;
        let preferred = shared.settings.stay.map_or(0, |_| shared.stays.place(&chain, now));
        let plan = Plan::new(chain, *call.needs(), call.deadline, &shared.settings)
            .preferring(preferred)
            .behind(call.let_down());
        Ok(Self::along(plan, call, shared))
    }

    /// Continues after the first model of the chain was called, with no other history.
    pub(super) fn after_first(call: Call, shared: Arc<Spare<S, Shared>>) -> Result<Self, ModelError> {
        let chain = shared.chains.for_call(&call)?;
        let plan = Plan::new(chain, *call.needs(), call.deadline, &shared.settings);
        Ok(Self { turn: 1, ..Self::along(plan, call, shared) })
    }

    const fn along(plan: Plan, call: Call, shared: Arc<Spare<S, Shared>>) -> Self {
        Self { shared, call, plan, place: 0, turn: 0, held: None, failed: Vec::new(), telling: None }
    }

    pub(super) fn world(&self) -> &World {
        self.shared.health.world()
    }

    /// Service instance for a further attempt.
    pub(super) fn instance(&self) -> Option<S>
    where
        S: Clone,
    {
        self.shared.instance()
    }

    /// The next step at `now`.
    pub(super) fn step(&mut self, now: Tick) -> Next {
        match self.plan.next(&self.shared.health, now) {
            Step::Try { place, elsewhere, last_resort } => {
                let mut attempt = self.attempt(place, elsewhere, now);
                attempt.last_resort = last_resort;
                Next::Ask(attempt)
            }
            Step::Park { until, place, last_chance } => self.park(until, place, last_chance, now),
            Step::GiveUp(end) => Next::End(self.end(end)),
        }
    }

    /// The next step of a parked call that wakes at `now`.
    pub(super) fn woke(&mut self, place: Option<ParkingPlace>, now: Tick) -> Next {
        self.held = place;
        let next = self.step(now);
        self.held = None;
        next
    }

    /// The next step after the current model failed at `now`.
    pub(super) fn failed(&mut self, mut error: ModelError, now: Tick) -> Next {
        let Self { shared, plan, call, .. } = self;
        let (world, backoff) = (shared.health.world(), shared.settings.backoff);
        plan.failed(&error, shared.health.treatments(), now, |attempt| backoff.pause(attempt, world));
        let name = plan.chain().get(self.place).map_or_else(|| "".into(), |model| Arc::clone(&model.name));
        let has_effects = call.has_effects();
        self.failed.append(&mut error.take_failed());
        self.failed.push(FailedAttempt::new(name, &error, now));
        let telling = self.telling.as_ref();
        if has_effects || telling.is_none_or(|(_, other)| tells(error.kind()) > tells(other.kind())) {
            self.telling = Some((self.failed.len() - 1, error));
        }
        // A further attempt would repeat the effects.
        if has_effects { Next::End(self.end(End::Final)) } else { self.step(now) }
    }

    /// Completes the answer of the current model.
    pub(super) fn replied<R>(&mut self, replied: &mut Replied<R>) {
        if !self.failed.is_empty() {
            self.failed.append(&mut replied.failed);
            replied.failed = std::mem::take(&mut self.failed);
        }
        first::release(&mut replied.call);
        if let Some(stay) = self.shared.settings.stay {
            let now = self.world().tick();
            let model = replied.model.as_deref();
            self.shared.stays.served(self.plan.chain(), self.place, model, now, stay);
        }
    }

    fn attempt(&mut self, place: usize, elsewhere: Option<Tick>, now: Tick) -> Call {
        self.note_passed_over(place, now);
        self.place = place;
        let chain = self.plan.chain();
        let (Some(from), Some(model)) = (chain.first(), chain.get(place)) else { return self.call.clone() };
        let tried = self.plan.attempts_of(place);
        // Only the first attempt earns budget; a return to a model that did not admit the call earns nothing
        // more.
        if self.plan.is_untouched(place) {
            self.shared.health.first_attempt(model);
        }
        self.turn = self.turn.saturating_add(1);
        let mut attempt = adapt::fit(&*self.shared.adapt, self.call.clone(), from, model);
        attempt.now = Some(now);
        attempt.elsewhere = elsewhere;
        attempt.set_tried(tried);
        attempt.set_began(self.call.now.filter(|began| *began < now));
        attempt.turn = self.turn;
        attempt
    }

    /// Records, once each, why the models before `place` are skipped.
    fn note_passed_over(&mut self, place: usize, now: Tick) {
        for (model, at) in self.plan.passed_over(place, &self.shared.health, now) {
            if self.failed.iter().any(|failed| failed.model == model.name) {
                continue;
            }
            let wait = duration::write(at.since(now).max(Duration::from_millis(1)));
            let error = ModelError::new(ErrorKind::NotAdmitted, format!("not asked: it is ready in {wait}"));
            self.failed.push(FailedAttempt::new(Arc::clone(&model.name), &error, now));
        }
    }

    fn park(&mut self, until: Tick, place: usize, last_chance: bool, now: Tick) -> Next {
        // A parked call that wakes and waits again keeps its place.
        let (held, most) = (self.held.take(), self.shared.settings.max_parked);
        let is_new = held.is_none();
        let Some(held) = held.or_else(|| self.shared.parking.enter(most)) else {
            let error = ModelError::new(
                ErrorKind::NotAdmitted,
                "no model is ready, and as many calls wait as may; raise `max_parked`, or call less",
            );
            return Next::End(error.with_ready_at(until).with_failed(self.failed.clone()).exhausted());
        };
        if let Some(listener) = self.shared.on_park.as_ref().filter(|_| is_new) {
            listener(ParkedCall { call: &self.call, since: now, until });
        }
        let wait = until.since(now);
        // If a probe decides when the model is ready, its time is only a guess. The calls are then spread
        // further, so that the first of them finds out for the others. No call loses more than a quarter of
        // its remaining time, and half a second if it wakes for a last chance: deadlines are spread anyway.
        let health = &self.shared.health;
        let is_guessed = self.plan.chain().get(place).is_some_and(|model| health.is_guessed(model, now));
        let most = match (last_chance, is_guessed) {
            (true, _) => wait.min(LAST_JITTER),
            (false, true) => wait,
            (false, false) => self.plan.jitter((wait / 10).min(LONGEST_JITTER), now),
        };
        let most = self.call.deadline.map_or(most, |deadline| most.min(deadline.since(until) / 4));
        let jitter = self.world().below(nanos(most));
        let until = until.after(Duration::from_nanos(jitter));
        let until = self.call.deadline.map_or(until, |deadline| until.min(deadline));
        Next::Wait(Wait { sleep: self.world().timer.sleep(until.since(now)), place: Some(held) })
    }

    /// The error with which the call ends.
    fn end(&mut self, end: End) -> ModelError {
        let mut failed = std::mem::take(&mut self.failed);
        let telling = self.telling.take();
        let last = telling.as_ref().map(|(_, error)| error.to_string());
        let own = |kind, why: &str| {
            let because = last.as_deref().map(|last| format!("; `{last}` came before")).unwrap_or_default();
            ModelError::new(kind, format!("{why}{because}"))
        };
        let error = match (end, telling) {
            (End::Late(ready_at), telling) => {
                let error = match ready_at {
                    Some(tick) => own(ErrorKind::DeadlineExceeded, "no model is ready before the deadline")
                        .with_ready_at(tick),
                    None => own(ErrorKind::DeadlineExceeded, "the deadline passed"),
                };
                match telling {
                    Some((_, cause)) => error.with_source(cause),
                    None => error,
                }
            }
            (end, Some((place, error))) => {
                // This failure is the error itself; the others are listed as earlier attempts.
                if place < failed.len() {
                    failed.remove(place);
                }
                match end {
                    End::TooFar(ready_at) => error.with_ready_at(ready_at),
                    _ => error,
                }
            }
            (End::TooFar(ready_at), None) => {
                own(ErrorKind::NotAdmitted, "no model is ready as soon as a call may wait")
                    .with_ready_at(ready_at)
            }
            (End::Final | End::NoneLeft | End::Attempts, None) => {
                own(ErrorKind::NoModel, "no model of the chain can do what the call needs")
            }
        };
        let error = error.with_failed(failed);
        if end == End::Final { error } else { error.exhausted() }
    }
}

/// Rank of an error as the reason of a failed call. Errors that end any call rank highest, then refusals and
/// overflows, then errors that an operator has to repair; calls that were not admitted rank lowest.
const fn tells(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::NotAdmitted => 0,
        ErrorKind::Unknown => 1,
        ErrorKind::Authentication
        | ErrorKind::Permission
        | ErrorKind::QuotaExhausted
        | ErrorKind::ModelUnavailable => 3,
        ErrorKind::ContextOverflow | ErrorKind::ContentFilter | ErrorKind::Stopped => 4,
        // These end a call whichever model they come from.
        ErrorKind::InvalidRequest
        | ErrorKind::OutputTruncated
        | ErrorKind::DeadlineExceeded
        | ErrorKind::NoModel
        | ErrorKind::NestedRetry => 5,
        _ => 2,
    }
}

fn nested(call: &Call) -> ModelError {
    let text = if call.turn > 0 {
        "a fallback chain inside a fallback chain multiplies the attempts; leave one of them out"
    } else {
        "a retry loop around a fallback chain multiplies the attempts; put the `RetryLayer` inside"
    };
    ModelError::new(ErrorKind::NestedRetry, text)
}
