//! The questions that a driver asks of a provider, in the order of law 2.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::provider::{DecidingEvent, HooksProvider, InformingEvent, Prepared};
use super::slot::{goes_on, reserve_each};
use super::span::EventSpan;
use crate::error::HookError;
use crate::failure::{failed, guarded, record};
use crate::future::HookFuture;
use crate::outcome::{Judged, Outcome};
use crate::request::{HookRequest, Stage};
use crate::verdict::Reason;

/// What was decided, about which event.
pub struct Decided<E: DecidingEvent> {
    /// The event that was judged: what will run.
    pub request: HookRequest<E>,
    /// The decision.
    pub outcome: E::Outcome,
}

impl<E: DecidingEvent> std::fmt::Debug for Decided<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decided")
            .field("event", self.request.event())
            .field("strength", &self.outcome.strength())
            .field("reasons", &self.outcome.reasons())
            .finish()
    }
}

/// Has the event rewritten, asked of what waits, and judged by every policy as it then stands. Nothing is
/// reserved yet. Ready at once where nothing waits. With the `tracing` feature, in a span of its own.
pub fn decide<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, Decided<E>> {
    EventSpan::of(E::KIND, request.context()).ask(|| prepare_and_judge(provider, request))
}

fn prepare_and_judge<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, Decided<E>> {
    match prepare(provider, request.at(Stage::Prepare)) {
        HookFuture::Now(Some(prepared)) => HookFuture::now(judged(provider, prepared)),
        waiting => HookFuture::later(async move {
            let mut prepared = waiting.await;
            // What was derived from the event may have changed over the wait (law 6).
            prepared.request = prepared.request.refreshed();
            judged(provider, prepared)
        }),
    }
}

fn judged<E: DecidingEvent>(provider: &dyn HooksProvider, prepared: Prepared<E>) -> Decided<E> {
    let Prepared { request, mut outcome, .. } = prepared;
    let request = request.at(Stage::Judge);
    if goes_on(&outcome, &request) {
        outcome.merge(judge(provider, &request));
    }
    outcome.settle(&request);
    Decided { request, outcome }
}

impl<E: DecidingEvent> Decided<E> {
    /// Has everyone judge again, after a person was waited for: the world may have changed meanwhile. What was
    /// said before stands unless it was an allow; what was said before and is said again is said once.
    pub(crate) async fn judge_again(&mut self, provider: &dyn HooksProvider) {
        let request = self.request.clone().refreshed().at(Stage::Judge);
        let asked = EventSpan::of(E::KIND, request.context()).ask(|| {
            HookFuture::later(async move {
                let prepared = prepare(provider, request.clone()).await;
                // The event is final: whatever a provider made of it is not what would run.
                judged(provider, Prepared { request: request.refreshed(), ..prepared })
            })
        });
        let mut again = asked.await;
        self.outcome.make_stale();
        again.outcome.forget_reasons_of(&self.outcome);
        self.outcome.merge(again.outcome);
        self.request = again.request;
    }
}

/// Takes places in limits and budgets for what was decided, unless it is denied. They come with the outcome:
/// commit them once the event goes ahead; dropped, they are given back.
pub async fn reserve<E: DecidingEvent>(provider: &dyn HooksProvider, decided: &mut Decided<E>) {
    if decided.outcome.is_denied() {
        return;
    }
    let owed = decided.outcome.take_owed();
    let reserved = take_places(provider, decided.request.clone()).await;
    decided.outcome.merge(reserved);
    if !decided.outcome.is_denied() && !owed.is_empty() {
        let reserved = reserve_each(&owed, decided.request.clone()).await;
        decided.outcome.merge(reserved);
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

/// Tells the hooks of something. With the `tracing` feature, in a span of its own.
pub fn tell<E: InformingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, E::Outcome> {
    EventSpan::of(E::KIND, request.context()).ask(|| inform(provider, request))
}

/// Has `provider` hear of something.
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

/// Has `provider` prepare the event. One that panics is a hook that failed (law 3).
pub(super) fn prepare<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, Prepared<E>> {
    if provider.guards_its_hooks() {
        return E::prepare(provider, request);
    }
    let asked = request.clone();
    guarded(
        || E::prepare(provider, request),
        move |error| {
            let outcome = failed::<E>(asked.context(), Reason::failure(PROVIDER, &error), false);
            Prepared { request: asked, outcome, judged_at: None }
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

/// Has `provider` take places for the event.
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

/// What a failure of a whole provider is recorded under.
const PROVIDER: &str = "provider";
