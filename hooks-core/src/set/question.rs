//! The questions that a driver asks of a provider, in the order of law 2.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use futures_util::FutureExt;

use super::provider::{DecidingEvent, HooksProvider, InformingEvent, Prepared};
use super::slot::goes_on;
use crate::error::HookError;
use crate::event::Event;
use crate::failure::{failed, record};
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
/// reserved yet. Ready at once where nothing waits.
pub fn decide<E: DecidingEvent>(
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
        outcome.merge(guarded(&request, || E::judge(provider, &request)));
    }
    outcome.settle(&request);
    Decided { request, outcome }
}

impl<E: DecidingEvent> Decided<E> {
    /// Has everyone judge again, after a person was waited for: the world may have changed meanwhile. What was
    /// said before stands unless it was an allow; what was said before and is said again is said once.
    pub(crate) async fn judge_again(&mut self, provider: &dyn HooksProvider) {
        let request = self.request.clone().refreshed().at(Stage::Judge);
        let prepared = prepare(provider, request.clone()).await;
        // The event is final: whatever a provider made of it is not what would run.
        let mut again = judged(provider, Prepared { request: request.refreshed(), ..prepared });
        self.outcome.make_stale();
        again.outcome.forget_reasons_of(&self.outcome);
        self.outcome.merge(again.outcome);
        self.request = again.request;
    }
}

/// Takes places in limits and budgets for an event that was not denied. They come with the outcome.
pub fn reserve<'a, E: DecidingEvent>(
    provider: &'a dyn HooksProvider,
    request: &HookRequest<E>,
) -> HookFuture<'a, E::Outcome> {
    guarded_future(request, || E::reserve(provider, request.clone().at(Stage::Reserve)))
}

/// Shows the decided event to all observers.
pub fn observe<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: &HookRequest<E>,
    outcome: &E::Outcome,
) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| E::observe(provider, request, outcome))) {
        record(request.context(), E::KIND, &panicked(&*panic));
    }
}

/// Tells the hooks of something.
pub fn tell<E: InformingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, E::Outcome> {
    guarded_future(&request.clone(), || E::tell(provider, request))
}

/// Asks `provider` to prepare the event. A provider that panics is a hook that failed (law 3); those made of slots
/// see to that themselves, hook by hook.
pub(super) fn prepare<E: DecidingEvent>(
    provider: &dyn HooksProvider,
    request: HookRequest<E>,
) -> HookFuture<'_, Prepared<E>> {
    let asked = request.clone();
    match catch_unwind(AssertUnwindSafe(|| E::prepare(provider, request))) {
        Ok(HookFuture::Later(waiting)) => HookFuture::later(async {
            let prepared = AssertUnwindSafe(waiting).catch_unwind().await;
            prepared.unwrap_or_else(|panic| unprepared(asked, &*panic))
        }),
        Ok(prepared) => prepared,
        Err(panic) => HookFuture::now(unprepared(asked, &*panic)),
    }
}

fn unprepared<E: DecidingEvent>(request: HookRequest<E>, panic: &(dyn Any + Send)) -> Prepared<E> {
    let outcome = failed::<E>(request.context(), panicked(panic), false);
    Prepared { request, outcome, judged_at: None }
}

fn guarded<E: Event>(request: &HookRequest<E>, ask: impl FnOnce() -> E::Outcome) -> E::Outcome {
    let answer = catch_unwind(AssertUnwindSafe(ask));
    answer.unwrap_or_else(|panic| failed::<E>(request.context(), panicked(&*panic), false))
}

fn guarded_future<'a, E: Event>(
    request: &HookRequest<E>,
    ask: impl FnOnce() -> HookFuture<'a, E::Outcome>,
) -> HookFuture<'a, E::Outcome> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(HookFuture::Later(waiting)) => {
            let context = Arc::clone(request.context());
            HookFuture::later(async move {
                let answer = AssertUnwindSafe(waiting).catch_unwind().await;
                answer.unwrap_or_else(|panic| failed::<E>(&context, panicked(&*panic), false))
            })
        }
        Ok(answer) => answer,
        Err(panic) => HookFuture::now(failed::<E>(request.context(), panicked(&*panic), false)),
    }
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) -> Reason {
    Reason::failure("provider", &HookError::from_panic(panic))
}
