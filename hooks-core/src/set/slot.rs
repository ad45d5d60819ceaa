//! The hooks of one event.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::chain::prepare_in_turn;
use super::provider::Prepared;
use crate::error::HookError;
use crate::event::{Event, OnFailure};
use crate::failure::{failed, guarded, record};
use crate::future::HookFuture;
use crate::hook::BoxHook;
use crate::observer::{Observer, show};
use crate::outcome::{Judged, Outcome};
use crate::policy::{Policy, judge_each};
use crate::request::{Evaluation, HookRequest, Stage};
use crate::reserve::future::enter;
use crate::reserve::{Reservation, Reserve};
use crate::transform::{Transform, rewrite};
use crate::verdict::{Reason, Verdict};

/// The hooks of one event, in order. First the transforms rewrite the event, then the stacks are asked, which
/// may wait and rewrite too. Then the policies judge it, and reservations are made. Observers see the final
/// outcome.
///
/// Every hook is guarded: an error or a panic becomes an outcome (law 3). If an event has policies only, it
/// is decided at once, without an allocation unless a policy gives a reason. Each stack boxes one future per
/// event.
pub struct Slot<E: Event> {
    pub(crate) transforms: Vec<Arc<dyn Transform<E>>>,
    pub(crate) stacks: Vec<BoxHook<E>>,
    pub(crate) policies: Vec<Arc<dyn Policy<E>>>,
    pub(crate) reserves: Vec<Arc<dyn Reserve<E>>>,
    pub(crate) observers: Vec<Arc<dyn Observer<E>>>,
}

/// Verdict of one policy, for `explain`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explained {
    /// Name of the policy.
    pub policy: String,
    /// Verdict of the policy.
    pub verdict: Verdict,
}

impl<E: Event> Slot<E> {
    /// Whether the event has no hooks.
    pub fn is_empty(&self) -> bool {
        self.transforms.is_empty()
            && self.stacks.is_empty()
            && self.policies.is_empty()
            && self.reserves.is_empty()
            && self.observers.is_empty()
    }

    /// Adds the hooks of `inner` after those of this slot.
    pub(super) fn add(&mut self, inner: Self) {
        let Self { transforms, stacks, policies, reserves, observers } = inner;
        self.transforms.extend(transforms);
        self.stacks.extend(stacks);
        self.policies.extend(policies);
        self.reserves.extend(reserves);
        self.observers.extend(observers);
    }

    /// The policies, in order.
    pub fn policies(&self) -> &[Arc<dyn Policy<E>>] {
        &self.policies
    }

    /// Asks all stacks in turn, then shows the result to the observers. For events that only inform.
    pub(super) fn tell(&self, request: HookRequest<E>) -> HookFuture<'_, E::Outcome> {
        if self.stacks.is_empty() {
            let outcome = E::Outcome::default();
            self.observe(&request, &outcome);
            return HookFuture::now(outcome);
        }
        HookFuture::later(async move {
            let mut outcome = E::Outcome::default();
            for stack in &self.stacks {
                outcome.merge(ask(stack, &request).await);
            }
            self.observe(&request, &outcome);
            outcome
        })
    }

    pub(super) fn observe(&self, request: &HookRequest<E>, outcome: &E::Outcome) {
        for observer in &self.observers {
            show(&**observer, request, outcome);
        }
    }
}

impl<E: Event<Outcome: Judged<E>>> Slot<E> {
    #[inline]
    pub(super) fn prepare(&self, mut request: HookRequest<E>) -> HookFuture<'_, Prepared<E>> {
        let mut failures = E::Outcome::default();
        if request.stage() == Stage::Prepare {
            for transform in &self.transforms {
                if let Err(failure) = guarded_rewrite(&**transform, &mut request) {
                    failures.merge(failure);
                    if !goes_on(&failures, &request) {
                        return HookFuture::now(Prepared { request, outcome: failures, judged_at: None });
                    }
                }
            }
        }
        if self.stacks.is_empty() {
            return HookFuture::now(Prepared { request, outcome: failures, judged_at: None });
        }
        prepare_in_turn(&self.stacks, request, failures, |stack, request| {
            HookFuture::later(async move {
                let outcome = ask(stack, &request).await;
                let stage = request.stage();
                let request = outcome.judged_event().cloned().unwrap_or(request).at(stage);
                Prepared { judged_at: Some(request.revision()), request, outcome }
            })
        })
    }

    #[inline]
    pub(super) fn judge(&self, request: &HookRequest<E>) -> E::Outcome {
        let verdicts = self
            .policies
            .iter()
            .map(|policy| guarded_verdict(policy.name(), request, || policy.judge(request)));
        E::Outcome::from(judge_each(request, verdicts))
    }

    /// Returns the verdict of each single policy, also after a denial.
    pub(super) fn explain(&self, request: &HookRequest<E>) -> Vec<Explained> {
        let mut all = Vec::new();
        for policy in &self.policies {
            policy.each(&mut |single| {
                let verdict = guarded_verdict(single.name, request, || single.judge(request));
                all.push(Explained { policy: single.name.to_owned(), verdict });
            });
        }
        all
    }

    #[inline]
    pub(super) fn reserve(&self, request: HookRequest<E>) -> HookFuture<'_, E::Outcome> {
        if self.reserves.is_empty() {
            return HookFuture::now(E::Outcome::default());
        }
        reserve_each(&self.reserves, request)
    }
}

/// Asks each of `reserves` for a reservation, until one refuses. The future is ready at once if none waits.
pub(super) fn reserve_each<E: Event<Outcome: Judged<E>>>(
    reserves: &[Arc<dyn Reserve<E>>],
    request: HookRequest<E>,
) -> HookFuture<'_, E::Outcome> {
    let mut outcome = E::Outcome::default();
    let mut rest = reserves.iter();
    while let Some(reserve) = rest.next() {
        match guarded_reserve(&**reserve, &request) {
            HookFuture::Now(Some(answer)) => enter_answer(&request, &mut outcome, reserve.name(), answer),
            waiting => {
                return HookFuture::later(async move {
                    let answer = waiting.await;
                    enter_answer(&request, &mut outcome, reserve.name(), answer);
                    for reserve in rest {
                        if outcome.is_denied() {
                            break;
                        }
                        let answer = guarded_reserve(&**reserve, &request).await;
                        enter_answer(&request, &mut outcome, reserve.name(), answer);
                    }
                    outcome
                });
            }
        }
        if outcome.is_denied() {
            break;
        }
    }
    HookFuture::now(outcome)
}

fn enter_answer<E: Event<Outcome: Judged<E>>>(
    request: &HookRequest<E>,
    outcome: &mut E::Outcome,
    name: &str,
    answer: Result<Reservation, HookError>,
) {
    match answer {
        Ok(reservation) => enter::<E>(outcome, reservation),
        Err(error) => {
            let reason = Reason::failure(name.to_owned(), &error);
            outcome.merge(failed::<E>(request.context(), reason, false));
        }
    }
}

/// Asks a stack. The stack is guarded, so an error can only come from the guard itself; it becomes an outcome
/// as well.
async fn ask<E: Event>(stack: &BoxHook<E>, request: &HookRequest<E>) -> E::Outcome {
    stack
        .ask(request.clone())
        .await
        .unwrap_or_else(|error| failed::<E>(request.context(), Reason::failure("stack", &error), false))
}

fn guarded_rewrite<E: Event>(
    transform: &dyn Transform<E>,
    request: &mut HookRequest<E>,
) -> Result<(), E::Outcome> {
    let done = catch_unwind(AssertUnwindSafe(|| rewrite(transform, request)));
    done.unwrap_or_else(|panic| Err(HookError::from_panic(&*panic))).map_err(|error| {
        let reason = Reason::failure(transform.name().to_owned(), &error);
        failed::<E>(request.context(), reason, false)
    })
}

#[inline]
pub(crate) fn guarded_verdict<E: Event>(
    name: &str,
    request: &HookRequest<E>,
    judge: impl Fn() -> Verdict,
) -> Verdict {
    catch_unwind(AssertUnwindSafe(judge)).unwrap_or_else(|panic| panicked(name, request, &*panic))
}

#[cold]
fn panicked<E: Event>(name: &str, request: &HookRequest<E>, panic: &(dyn std::any::Any + Send)) -> Verdict {
    let reason = Reason::failure(name.to_owned(), &HookError::from_panic(panic));
    record(request.context(), E::KIND, &reason);
    match E::KIND.on_failure() {
        OnFailure::Closes => Verdict::deny(reason),
        OnFailure::Opens => Verdict::passed_over(reason),
    }
}

fn guarded_reserve<E: Event>(
    reserve: &dyn Reserve<E>,
    request: &HookRequest<E>,
) -> HookFuture<'static, Result<Reservation, HookError>> {
    guarded(|| reserve.reserve(request), Err)
}

impl<E: Event> Clone for Slot<E> {
    fn clone(&self) -> Self {
        Self {
            transforms: self.transforms.clone(),
            stacks: self.stacks.clone(),
            policies: self.policies.clone(),
            reserves: self.reserves.clone(),
            observers: self.observers.clone(),
        }
    }
}

impl<E: Event> Default for Slot<E> {
    fn default() -> Self {
        Self {
            transforms: Vec::new(),
            stacks: Vec::new(),
            policies: Vec::new(),
            reserves: Vec::new(),
            observers: Vec::new(),
        }
    }
}

impl<E: Event> fmt::Debug for Slot<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.policies.iter().map(|policy| policy.name().to_owned()).collect();
        f.debug_struct("Slot")
            .field("event", &E::KIND)
            .field("transforms", &self.transforms.len())
            .field("stacks", &self.stacks.len())
            .field("policies", &names)
            .field("reserves", &self.reserves.len())
            .field("observers", &self.observers.len())
            .finish()
    }
}

/// Whether further hooks are asked: always, unless the event is denied and judging stops at the first denial.
pub(super) fn goes_on<E: Event<Outcome: Judged<E>>>(outcome: &E::Outcome, request: &HookRequest<E>) -> bool {
    !outcome.is_denied() || request.evaluation() == Evaluation::Everyone
}
