//! The future of a [`DecideService`](super::DecideService).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

use super::Decider;
use crate::error::HookError;
use crate::event::Event;
use crate::outcome::{Judged, Outcome};
use crate::request::{Evaluation, HookRequest, Stage};

pin_project! {
    /// Resolves to the merged answer of a decider and the hook behind it.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<S, E, D>
    where
        S: Service<HookRequest<E>>,
        E: Event,
        D: Service<HookRequest<E>>,
    {
        #[pin]
        state: State<S, E, D>,
        // The inner hook; taken when it is asked.
        inner: Option<S>,
        decider: D,
        // The current event; taken when it is handed on for the last time.
        request: Option<HookRequest<E>>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<S, E, D>
    where
        S: Service<HookRequest<E>>,
        E: Event,
        D: Service<HookRequest<E>>,
    {
        /// The decider is asked for the first time.
        Deciding {
            #[pin]
            future: Oneshot<D, HookRequest<E>>,
            // Whether the decider returned `Pending` at least once.
            waited: bool,
        },
        /// The inner hook is asked. `earlier` is the answer of the decider, and the revision that it is about.
        Inner {
            #[pin]
            future: Oneshot<S, HookRequest<E>>,
            earlier: Option<(E::Outcome, u32)>,
        },
        /// The event was rewritten after the decider was asked, so the decider is asked again.
        Again {
            #[pin]
            future: Oneshot<D, HookRequest<E>>,
            outcome: Option<E::Outcome>,
        },
    }
}

impl<S, E, D> ResponseFuture<S, E, D>
where
    S: Service<HookRequest<E>>,
    E: Event,
    D: Service<HookRequest<E>> + Clone,
{
    pub(super) fn new(inner: S, decider: D, request: HookRequest<E>) -> Self {
        let state = State::Deciding { future: Oneshot::new(decider.clone(), request.clone()), waited: false };
        Self { state, inner: Some(inner), decider, request: Some(request) }
    }
}

impl<S, E, D> Future for ResponseFuture<S, E, D>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event<Outcome: Judged<E>>,
    D: Decider<E> + Clone,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProjection::Deciding { future, waited } => {
                    let Poll::Ready(decider_outcome) = future.poll(cx) else {
                        *waited = true;
                        return Poll::Pending;
                    };
                    let (decider_outcome, waited) = (decider_outcome?, *waited);
                    let (Some(request), Some(inner)) = (this.request.as_mut(), this.inner.take()) else {
                        return Poll::Ready(Err(asked_again()));
                    };
                    let revision = request.revision();
                    let mut outcome = match (request.stage(), decider_outcome.rewrite) {
                        (Stage::Judge, rewrite) => {
                            super::DeciderOutcome::<E> { outcome: decider_outcome.outcome, rewrite }
                                .about_final()
                        }
                        (_, Some(rewrite)) => {
                            request.rewrite(rewrite);
                            decider_outcome.outcome
                        }
                        (_, None) => decider_outcome.outcome,
                    };
                    if outcome.is_denied() && request.evaluation() == Evaluation::UntilDenied {
                        outcome.settle(request);
                        return Poll::Ready(Ok(outcome));
                    }
                    // The facts may have changed while the decider was waiting (law 6).
                    if waited {
                        *request = request.clone().refreshed();
                    }
                    State::Inner {
                        future: Oneshot::new(inner, request.clone()),
                        earlier: Some((outcome, revision)),
                    }
                }
                StateProjection::Inner { future, earlier } => {
                    let inner = ready!(future.poll(cx))?;
                    let (mut outcome, revision) = earlier.take().ok_or_else(asked_again)?;
                    let last = inner.judged_event().cloned().or_else(|| this.request.take());
                    match last {
                        Some(last) if last.revision() != revision => {
                            outcome.make_stale();
                            outcome.merge(inner);
                            if outcome.is_denied() && last.evaluation() == Evaluation::UntilDenied {
                                return Poll::Ready(Ok(outcome));
                            }
                            let request = last.refreshed().at(Stage::Judge);
                            State::Again {
                                future: Oneshot::new(this.decider.clone(), request),
                                outcome: Some(outcome),
                            }
                        }
                        _ => {
                            outcome.merge(inner);
                            return Poll::Ready(Ok(outcome));
                        }
                    }
                }
                StateProjection::Again { future, outcome } => {
                    let decider_outcome = ready!(future.poll(cx))?;
                    let mut merged = outcome.take().ok_or_else(asked_again)?;
                    merged.merge(decider_outcome.about_final());
                    return Poll::Ready(Ok(merged));
                }
            };
            this.state.set(next);
        }
    }
}

fn asked_again() -> HookError {
    HookError::unavailable("it was asked again after it had answered")
}

impl<S, E, D> std::fmt::Debug for ResponseFuture<S, E, D>
where
    S: Service<HookRequest<E>>,
    E: Event,
    D: Service<HookRequest<E>>,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("decide::ResponseFuture").finish_non_exhaustive()
    }
}
