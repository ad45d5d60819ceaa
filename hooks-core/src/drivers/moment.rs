//! One moment of a session: a snapshot of the hooks, and a context.

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
use crate::set::{
    DecidingEvent, Ending, EventDecision, InformingEvent, Snapshot, conclude, decide, observe, reserve, tell,
};
use crate::verdict::Reason;

/// Fires events with one snapshot of the hooks, in one context.
#[derive(Clone)]
pub(super) struct Moment {
    hooks: Snapshot,
    pub(super) context: Arc<HookContext>,
}

impl Moment {
    pub(super) fn new(hooks: Snapshot, context: Arc<HookContext>) -> Self {
        Self { hooks, context }
    }

    /// The same hooks at the current time, for use after a tool, a model or a child has finished.
    pub(super) fn later(&self) -> Self {
        Self { hooks: self.hooks.clone(), context: self.context.for_call(None) }
    }

    /// Has the hooks decide about an event; nothing is reserved or observed yet.
    pub(super) async fn decide<E: DecidingEvent>(&self, event: E) -> EventDecision<E> {
        let request = HookRequest::new(Arc::clone(&self.context), event);
        decide(self.hooks.hooks(), request).await
    }

    /// Has a decided event judged once more, after waiting for the user.
    pub(super) async fn judge_again<E: DecidingEvent>(&self, decision: &mut EventDecision<E>) {
        decision.judge_again(self.hooks.hooks()).await;
    }

    /// Makes reservations for a decided event, unless it is denied.
    pub(super) async fn reserve<E: DecidingEvent>(&self, decision: &mut EventDecision<E>) {
        reserve(self.hooks.hooks(), decision).await;
    }

    /// Shows a decided event to the observers.
    pub(super) fn observe<E: DecidingEvent>(&self, decision: &EventDecision<E>) {
        observe(self.hooks.hooks(), &decision.request, &decision.outcome);
    }

    /// Decides about an event for which the user is not asked, and commits its reservations.
    pub(super) async fn gate<E: DecidingEvent>(&self, event: E) -> EventDecision<E> {
        let mut decision = self.conclude(event, Ending::Closed).await;
        if decision.outcome.goes_ahead() {
            decision.commit();
        }
        decision
    }

    /// Decides about an event to the `ending`. The caller commits the reservations.
    pub(super) async fn conclude<E: DecidingEvent>(&self, event: E, ending: Ending) -> EventDecision<E> {
        let request = HookRequest::new(Arc::clone(&self.context), event);
        conclude(self.hooks.hooks(), request, ending).await
    }

    /// Sends an event that informs to the hooks.
    pub(super) async fn tell<E: InformingEvent>(&self, event: E) -> E::Outcome {
        let request = HookRequest::new(Arc::clone(&self.context), event);
        tell(self.hooks.hooks(), request).await
    }

    /// Reports a failure to the hooks, and the notification that a user would see.
    pub(super) async fn fail(&self, event: ErrorOccurred) -> Recovery {
        let notification = Notification::new(Level::Error, event.error.clone());
        let recovery = self.tell(event).await;
        self.tell(notification).await;
        recovery
    }

    /// Runs the remaining work of a dropped driver: at once if no hook waits, otherwise in the background if
    /// the host has one. If neither is possible, a failure is recorded. A panic is recorded as well: the
    /// driver may be dropped during an unwind, and a second panic would abort the process.
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
