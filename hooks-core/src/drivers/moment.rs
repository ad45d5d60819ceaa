//! One moment of a session: a set of hooks as it was then, and where it happens.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::context::HookContext;
use crate::error::HookError;
use crate::event::{ErrorOccurred, EventKind, Level, Notification};
use crate::failure::record;
use crate::future::HookFuture;
use crate::hook::poll_once;
use crate::outcome::{Judged, Recovery};
use crate::request::HookRequest;
use crate::set::{Decided, DecidingEvent, InformingEvent, Snapshot, decide, observe, reserve, tell};
use crate::verdict::Reason;

/// Fires events: with one snapshot of the hooks, in one context.
#[derive(Clone)]
pub(super) struct Moment {
    hooks: Snapshot,
    pub(super) context: Arc<HookContext>,
}

impl Moment {
    pub(super) fn new(hooks: Snapshot, context: Arc<HookContext>) -> Self {
        Self { hooks, context }
    }

    /// The same hooks, now: what comes after a tool, a model or a child has taken its time.
    pub(super) fn later(&self) -> Self {
        Self { hooks: self.hooks.clone(), context: self.context.for_call(None) }
    }

    /// Has an event decided about; nothing is reserved or observed yet.
    pub(super) async fn decide<E: DecidingEvent>(&self, event: E) -> Decided<E> {
        let request = HookRequest::new(Arc::clone(&self.context), event);
        decide(self.hooks.hooks(), request).await
    }

    /// Has what was decided judged once more, after a person was waited for.
    pub(super) async fn judge_again<E: DecidingEvent>(&self, decided: &mut Decided<E>) {
        decided.judge_again(self.hooks.hooks()).await;
    }

    /// Takes places for what was decided, unless it is denied.
    pub(super) async fn reserve<E: DecidingEvent>(&self, decided: &mut Decided<E>) {
        reserve(self.hooks.hooks(), decided).await;
    }

    /// Shows what was decided to the observers.
    pub(super) fn observe<E: DecidingEvent>(&self, decided: &Decided<E>) {
        observe(self.hooks.hooks(), &decided.request, &decided.outcome);
    }

    /// Has an event decided about to the end, where no person is asked: a question is a refusal.
    pub(super) async fn gate<E: DecidingEvent>(&self, event: E) -> Decided<E> {
        let mut decided = self.admit(event).await;
        if decided.outcome.goes_ahead() {
            decided.outcome.take_holds().commit();
        }
        decided
    }

    /// The same, for what may still fail to happen: its places are the caller's to commit.
    pub(super) async fn admit<E: DecidingEvent>(&self, event: E) -> Decided<E> {
        let mut decided = self.decide(event).await;
        if decided.outcome.goes_ahead() {
            self.reserve(&mut decided).await;
        }
        self.observe(&decided);
        decided
    }

    /// Has an event decided about to the end, and leaves the question in it open. Places are taken for
    /// whatever is not denied.
    pub(super) async fn gate_or_ask<E: DecidingEvent>(&self, event: E) -> Decided<E> {
        let mut decided = self.decide(event).await;
        self.reserve(&mut decided).await;
        self.observe(&decided);
        if !decided.outcome.is_denied() {
            decided.outcome.take_holds().commit();
        }
        decided
    }

    /// Tells the hooks of something.
    pub(super) async fn tell<E: InformingEvent>(&self, event: E) -> E::Outcome {
        let request = HookRequest::new(Arc::clone(&self.context), event);
        tell(self.hooks.hooks(), request).await
    }

    /// Tells the hooks of a failure, and of the error that a user would see.
    pub(super) async fn fail(&self, event: ErrorOccurred) -> Recovery {
        let notification = Notification::new(Level::Error, event.error.clone());
        let recovery = self.tell(event).await;
        self.tell(notification).await;
        recovery
    }

    /// Does what is left to do when a driver is dropped: at once where nothing waits, in the background where
    /// the host gave one. What can do neither is recorded as a failure, and so is a panic: a driver may be
    /// dropped by one, and a second would end the process.
    pub(super) fn abandon(
        context: &HookContext,
        event: EventKind,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let unfinished = match catch_unwind(AssertUnwindSafe(|| poll_once(Box::pin(work)))) {
            Ok(Ok(())) => return,
            Ok(Err(unfinished)) => unfinished,
            Err(panic) => {
                let error = HookError::from_panic(&*panic);
                return record(context, event, &Reason::failure("driver", &error));
            }
        };
        match &context.environment.background {
            Some(background) => {
                let run = || background.run(HookFuture::Later(unfinished));
                if let Err(panic) = catch_unwind(AssertUnwindSafe(run)) {
                    let error = HookError::from_panic(&*panic);
                    record(context, event, &Reason::failure("driver", &error));
                }
            }
            None => {
                let reason = Reason::new(
                    "driver",
                    "dropped",
                    format!(
                        "`{event}` could not fire to its end: its hooks wait, and nothing runs in the background"
                    ),
                );
                record(context, event, &reason.unless("give the environment a `Background`"));
            }
        }
    }
}
