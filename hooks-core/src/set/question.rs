//! The functions with which a driver asks a provider, in the order that law 2 requires.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::provider::{DecidingEvent, HooksProvider, InformingEvent, Prepared};
use super::slot::{goes_on, reserve_each};
use super::span::EventSpan;
use crate::error::HookError;
use crate::failure::{failed, guarded, record};
use crate::future::{HookFuture, noting_wait};
use crate::outcome::{Judged, Outcome};
use crate::request::{HookRequest, Stage};
use crate::verdict::Reason;

/// A decision, with the event that it is about.
pub struct EventDecision<E: DecidingEvent> {
    /// The event that was judged and will run.
    pub request: HookRequest<E>,
    /// The decision.
    pub outcome: E::Outcome,
}

impl<E: DecidingEvent> std::fmt::Debug for EventDecision<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventDecision")
            .field("event", self.request.event())
            .field("strength", &self.outcome.strength())
            .field("reasons", &self.outcome.reasons())
            .finish()
    }
}

impl<E: DecidingEvent> EventDecision<E> {
    /// Commits the reservations, unless the event is denied: call it once nothing else can deny the event.
    pub fn commit(&mut self) {
        if !self.outcome.is_denied() {
            self.outcome.take_holds().commit();
        }
    }
}

/// The end of a decision: what is reserved for the event, and who sees the decision.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{Ending, HookContext, HookRequest, Hooks, Judged, conclude};
///
/// # futures_util::FutureExt::now_or_never(async {
/// let hooks = Hooks::builder().build();
/// let call = PreToolUse::new("bash", serde_json::json!({"command": "ls"}));
/// let request = HookRequest::new(HookContext::new("session-1", "backend"), call);
/// let mut decision = conclude(&hooks, request, Ending::Open).await;
/// if !decision.outcome.is_denied() {
///     // Here the host asks the user, if the outcome is an ask, and runs the tool.
///     decision.commit();
/// }
/// # }).expect("no hook waits");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The host asks the user itself: an ask is reserved for like an allow.
    Open,
    /// The user cannot be asked: an ask is a refusal, so nothing is reserved for it.
    Closed,
    /// Another event counts what this one is about: nothing is reserved.
    Uncounted,
    /// The event does not happen. Reservations show what limits and budgets would decide; drop the outcome
    /// to give them back. Observers see nothing.
    Trial,
}

/// Runs a whole decision: the event is rewritten, judged, reserved for and shown to the observers, in the
/// order that law 2 requires. Nothing is committed; see [`EventDecision::commit`].
pub async fn conclude<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
    ending: Ending,
) -> EventDecision<E> {
    conclude_decided(provider, decide(provider, request).await, ending).await
}

/// Runs the rest of [`conclude`] for an event that was already decided by [`decide`].
pub async fn conclude_decided<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    mut decision: EventDecision<E>,
    ending: Ending,
) -> EventDecision<E> {
    let reserves = match ending {
        Ending::Open | Ending::Trial => true,
        Ending::Closed => decision.outcome.goes_ahead(),
        Ending::Uncounted => false,
    };
    if reserves {
        reserve(provider, &mut decision).await;
    }
    if ending != Ending::Trial {
        observe(provider, &decision.request, &decision.outcome);
    }
    decision
}

/// Has the event rewritten, judged by the hooks that wait, and then judged by all policies in its final
/// state. Reserves nothing yet. The future is ready at once if no hook waits. With the `tracing` feature, the
/// call has a span of its own.
pub fn decide<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, EventDecision<E>> {
    EventSpan::new(E::KIND, request.context()).ask(|| prepare_and_judge(provider, request))
}

fn prepare_and_judge<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, EventDecision<E>> {
    match prepare(provider, request.at(Stage::Prepare)) {
        HookFuture::Now(Some(prepared)) => HookFuture::now(judged(provider, prepared)),
        waiting => HookFuture::later(async move {
            let (mut prepared, has_waited) = noting_wait(waiting).await;
            // Facts of the event may have changed during the wait (law 6).
            if has_waited {
                prepared.request = prepared.request.refreshed();
            }
            judged(provider, prepared)
        }),
    }
}

fn judged<E: DecidingEvent>(provider: &dyn HooksProvider, prepared: Prepared<E>) -> EventDecision<E> {
    let Prepared { request, mut outcome, .. } = prepared;
    let request = request.at(Stage::Judge);
    if goes_on(&outcome, &request) {
        outcome.merge(judge(provider, &request));
    }
    outcome.settle(&request);
    EventDecision { request, outcome }
}

impl<E: DecidingEvent> EventDecision<E> {
    /// Has all hooks judge the event again, after waiting for the user: files and state may have changed
    /// meanwhile. Earlier answers stay, except an allow. A reason that is given again is kept once.
    pub(crate) async fn judge_again(&mut self, provider: &dyn HooksProvider) {
        let request = self.request.clone().refreshed().at(Stage::Judge);
        let pending = EventSpan::new(E::KIND, request.context()).ask(|| {
            HookFuture::later(async move {
                let prepared = prepare(provider, request.clone()).await;
                // The event is final: a provider's rewrite of it is not what would run.
                judged(provider, Prepared { request: request.refreshed(), ..prepared })
            })
        });
        let mut again = pending.await;
        self.outcome.make_stale();
        again.outcome.forget_reasons_of(&self.outcome);
        self.outcome.merge(again.outcome);
        self.request = again.request;
    }
}

/// Makes reservations in limits and budgets for a decided event, unless it is denied. They are part of the
/// outcome: commit them once the event goes ahead; if they are dropped, they are given back.
pub async fn reserve<E: DecidingEvent>(provider: &dyn HooksProvider, decision: &mut EventDecision<E>) {
    if decision.outcome.is_denied() {
        return;
    }
    let owed = decision.outcome.take_owed();
    let reserved = take_places(provider, decision.request.clone()).await;
    decision.outcome.merge(reserved);
    if !decision.outcome.is_denied() && !owed.is_empty() {
        let reserved = reserve_each(&owed, decision.request.clone()).await;
        decision.outcome.merge(reserved);
    }
}

/// Shows the decided event to all observers.
pub fn observe<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: &HookRequest<E>,
    outcome: &E::Outcome,
) {
    if provider.guards_its_hooks() {
        return E::observe(provider, request, outcome);
    }
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| E::observe(provider, request, outcome))) {
        record(request.context(), E::KIND, &Reason::failure(PROVIDER, &HookError::from_panic(&*panic)));
    }
}

/// Sends an event that informs to the hooks. With the `tracing` feature, the call has a span of its own.
pub fn tell<E: InformingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, E::Outcome> {
    EventSpan::new(E::KIND, request.context()).ask(|| inform(provider, request))
}

/// Sends the event to `provider`.
pub(super) fn inform<E: InformingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, E::Outcome> {
    if provider.guards_its_hooks() {
        return E::tell(provider, request);
    }
    let context = Arc::clone(request.context());
    let failed = move |error| failed::<E>(&context, Reason::failure(PROVIDER, &error), false);
    guarded(|| E::tell(provider, request), failed)
}

/// Has `provider` prepare the event. A panic is treated as a hook that failed (law 3).
pub(super) fn prepare<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, Prepared<E>> {
    if provider.guards_its_hooks() {
        return E::prepare(provider, request);
    }
    let copy = request.clone();
    guarded(
        || E::prepare(provider, request),
        move |error| {
            let outcome = failed::<E>(copy.context(), Reason::failure(PROVIDER, &error), false);
            Prepared { request: copy, outcome, judged_at: None }
        },
    )
}

/// Has `provider` judge the event.
pub(super) fn judge<E: DecidingEvent>(provider: &dyn HooksProvider, request: &HookRequest<E>) -> E::Outcome {
    if provider.guards_its_hooks() {
        return E::judge(provider, request);
    }
    catch_unwind(AssertUnwindSafe(|| E::judge(provider, request))).unwrap_or_else(|panic| {
        let reason = Reason::failure(PROVIDER, &HookError::from_panic(&*panic));
        failed::<E>(request.context(), reason, false)
    })
}

/// Has `provider` make reservations for the event.
pub(super) fn take_places<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, E::Outcome> {
    if provider.guards_its_hooks() {
        return E::reserve(provider, request);
    }
    let context = Arc::clone(request.context());
    let failed = move |error| failed::<E>(&context, Reason::failure(PROVIDER, &error), false);
    guarded(|| E::reserve(provider, request), failed)
}

/// Name under which the failure of a whole provider is recorded.
const PROVIDER: &str = "provider";
