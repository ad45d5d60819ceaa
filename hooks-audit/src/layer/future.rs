//! The future of an [`AuditService`](super::AuditService).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::{Event, HookError, HookRequest, Outcome};
use pin_project::pin_project;

use super::audit::{Audit, judged};
use crate::describe::{Described, RecordedOutcome};
use crate::log::{Ticket, Unwritten};

/// The answer of the inner hook, once it is recorded.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, E: Event> {
    #[pin]
    inner: F,
    seen: Option<(Audit, HookRequest<E>)>,
    /// The answer that waits until its record is synced.
    written: Option<Written<E>>,
}

struct Written<E: Event> {
    ticket: Ticket,
    outcome: E::Outcome,
    audit: Audit,
    request: HookRequest<E>,
}

impl<F, E: Event> ResponseFuture<F, E> {
    pub(super) const fn new(inner: F, seen: Option<(Audit, HookRequest<E>)>) -> Self {
        Self { inner, seen, written: None }
    }
}

impl<F, E> Future for ResponseFuture<F, E>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Described,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if this.written.is_none() {
            let answer = ready!(this.inner.poll(cx));
            let (Ok(outcome), Some((audit, request))) = (&answer, this.seen.take()) else {
                return Poll::Ready(answer);
            };
            let request = judged(&request, outcome).clone();
            match put(&audit, &request, E::recorded(outcome)) {
                Ok(None) => return Poll::Ready(answer),
                Ok(Some(ticket)) => {
                    *this.written = answer.ok().map(|outcome| Written { ticket, outcome, audit, request });
                }
                Err(error) => {
                    return Poll::Ready(answer.map(|outcome| refused(outcome, &audit, &request, &error)));
                }
            }
        }
        let Some(waiting) = this.written else { return Poll::Pending };
        let written = ready!(Pin::new(&mut waiting.ticket).poll(cx));
        let Some(Written { outcome, audit, request, .. }) = this.written.take() else { return Poll::Pending };
        Poll::Ready(Ok(match written {
            Ok(()) => outcome,
            Err(error) => refused(outcome, &audit, &request, &error),
        }))
    }
}

/// Records the outcome; returns the ticket if the answer has to wait for the sync.
fn put<E: Described>(
    audit: &Audit,
    request: &HookRequest<E>,
    recorded: RecordedOutcome,
) -> Result<Option<Ticket>, Unwritten> {
    audit.sound_log_for(request)?;
    if recorded.is_grave() || audit.is_irreversible(request.event()) {
        return audit.put_through(request, recorded).map(Some);
    }
    audit.put(request, recorded).map(|()| None)
}

/// Merges a denial into an answer that could not be recorded, if the settings demand it.
fn refused<E: Described>(
    mut outcome: E::Outcome,
    audit: &Audit,
    request: &HookRequest<E>,
    error: &Unwritten,
) -> E::Outcome {
    if let Some(reason) = audit.failed(request, error) {
        outcome.merge(E::Outcome::failed(reason, true));
    }
    outcome
}

impl<F: std::fmt::Debug, E: Event> std::fmt::Debug for ResponseFuture<F, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResponseFuture").field("inner", &self.inner).finish_non_exhaustive()
    }
}
