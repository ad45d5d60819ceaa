//! The future of a [`ReserveService`](super::ReserveService).

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::{Reservation, Reserve};
use crate::error::HookError;
use crate::event::Event;
use crate::future::HookFuture;
use crate::outcome::{Judged, Outcome};
use crate::request::{HookRequest, Stage};
use crate::verdict::Verdict;

pin_project! {
    /// Resolves to the answer of the inner hook, together with the reservation made for it.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E: Event, R> {
        #[pin]
        state: State<F, E>,
        reserve: R,
        request: HookRequest<E>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<F, E: Event> {
        Inner {
            #[pin]
            future: F,
        },
        Reserving {
            #[pin]
            future: HookFuture<'static, Result<Reservation, HookError>>,
            outcome: Option<E::Outcome>,
        },
    }
}

impl<F, E: Event, R> ResponseFuture<F, E, R> {
    pub(super) fn new(inner: F, reserve: R, request: HookRequest<E>) -> Self {
        Self { state: State::Inner { future: inner }, reserve, request }
    }
}

impl<F, E, R> Future for ResponseFuture<F, E, R>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event<Outcome: Judged<E>>,
    R: Reserve<E> + Clone + 'static,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.state.as_mut().project() {
                StateProjection::Inner { future } => {
                    let mut outcome = ready!(future.poll(cx))?;
                    if outcome.is_denied() {
                        return Poll::Ready(Ok(outcome));
                    }
                    match this.request.stage() {
                        Stage::Whole => {}
                        Stage::Prepare => {
                            outcome.owe(Arc::new(this.reserve.clone()));
                            return Poll::Ready(Ok(outcome));
                        }
                        Stage::Judge => return Poll::Ready(Ok(outcome)),
                    }
                    let future = this.reserve.reserve(outcome.judged_event().unwrap_or(this.request));
                    this.state.set(State::Reserving { future, outcome: Some(outcome) });
                }
                StateProjection::Reserving { future, outcome } => {
                    let reservation = ready!(future.poll(cx))?;
                    let mut outcome = outcome.take().unwrap_or_default();
                    enter::<E>(&mut outcome, reservation);
                    return Poll::Ready(Ok(outcome));
                }
            }
        }
    }
}

/// Adds the result of a reservation to `outcome`.
pub(crate) fn enter<E: Event<Outcome: Judged<E>>>(outcome: &mut E::Outcome, reservation: Reservation) {
    match reservation {
        Reservation::NotNeeded => {}
        Reservation::Held(hold) => outcome.hold(hold),
        Reservation::Refused(reason) => outcome.merge(E::Outcome::from(Verdict::deny(reason))),
        Reservation::WouldRefuse(reason) => {
            let policy = reason.policy.clone();
            outcome.merge(E::Outcome::from(Verdict::deny(reason).in_shadow(&policy)));
        }
    }
}

impl<F, E: Event, R> std::fmt::Debug for ResponseFuture<F, E, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("reserve::ResponseFuture").finish_non_exhaustive()
    }
}
