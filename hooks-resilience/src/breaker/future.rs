//! The future of a [`Breaker`](super::Breaker).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;
use tower_service::Service;

use super::Outstanding;
use crate::call::{Call, Replied};
use crate::error::ModelError;
use crate::health::{Health, NotAdmitted, Permit, Telling};

/// The model's answer, or the breaker's refusal.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S, F, T> {
    #[pin]
    state: State<S, F, T>,
}

#[pin_project(project = StateProjection)]
enum State<S, F, T> {
    /// Reads the shared state of the other instances before the call is judged.
    Refreshing { refresh: HookFuture<'static, ()>, next: Option<(S, Call, Health)> },
    /// Publishes a probe to the other instances before it is sent.
    Confirming { telling: HookFuture<'static, ()>, next: Option<(S, Call, Permit)> },
    /// Waits for the model.
    Calling {
        #[pin]
        inner: F,
        permit: Option<(Permit, Tick)>,
    },
    /// Publishes the result of the call to the other instances.
    Telling { telling: HookFuture<'static, ()>, answer: Option<Result<T, ModelError>> },
    /// Holds the answer.
    Replied(Option<Result<T, ModelError>>),
}

impl<S, F, T> ResponseFuture<S, F, T> {
    pub(super) fn refreshing(
        refresh: HookFuture<'static, ()>,
        service: S,
        call: Call,
        health: Health,
    ) -> Self {
        Self { state: State::Refreshing { refresh, next: Some((service, call, health)) } }
    }

    pub(super) fn confirming(
        telling: HookFuture<'static, ()>,
        permit: Permit,
        service: S,
        call: Call,
    ) -> Self {
        Self { state: State::Confirming { telling, next: Some((service, call, permit)) } }
    }

    pub(super) const fn calling(inner: F, permit: Option<(Permit, Tick)>) -> Self {
        Self { state: State::Calling { inner, permit } }
    }

    pub(super) const fn refused(error: ModelError) -> Self {
        Self { state: State::Replied(Some(Err(error))) }
    }
}

impl<S, R> Future for ResponseFuture<S, S::Future, Replied<R>>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut answer = self.as_mut().answer(cx);
        if let Poll::Ready(outcome) = &mut answer
            && let Some(telling) = self.as_mut().tell(outcome)
        {
            answer = self.told(telling, answer, cx);
        }
        answer
    }
}

impl<S, R> ResponseFuture<S, S::Future, Replied<R>>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    /// Drives the call to the model's answer or the breaker's refusal.
    fn answer(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Replied<R>, ModelError>> {
        let mut this = self.project();
        loop {
            let state = match this.state.as_mut().project() {
                StateProjection::Refreshing { refresh, next } => {
                    ready!(Pin::new(refresh).poll(cx));
                    let Some((service, call, health)) = next.take() else {
                        return Poll::Ready(Err(ModelError::polled_again()));
                    };
                    judged(service, call, &health)
                }
                StateProjection::Confirming { telling, next } => {
                    ready!(Pin::new(telling).poll(cx));
                    let Some((service, call, permit)) = next.take() else {
                        return Poll::Ready(Err(ModelError::polled_again()));
                    };
                    confirmed(service, call, permit)
                }
                StateProjection::Calling { inner, .. } => return inner.poll(cx),
                StateProjection::Telling { telling, answer } => {
                    ready!(Pin::new(telling).poll(cx));
                    State::Replied(answer.take())
                }
                StateProjection::Replied(answer) => {
                    return Poll::Ready(answer.take().unwrap_or_else(|| Err(ModelError::polled_again())));
                }
            };
            this.state.set(state);
        }
    }

    /// Keeps `answer` until the result is published.
    fn told(
        mut self: Pin<&mut Self>,
        telling: HookFuture<'static, ()>,
        answer: Poll<Result<Replied<R>, ModelError>>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Replied<R>, ModelError>> {
        if let Poll::Ready(answer) = answer {
            self.as_mut().project().state.set(State::Telling { telling, answer: Some(answer) });
        }
        self.answer(cx)
    }

    /// Reports the result of the call once; returns the future that publishes it, if there is one to wait
    /// for.
    fn tell(self: Pin<&mut Self>, answer: &mut Result<Replied<R>, ModelError>) -> Telling {
        let StateProjection::Calling { permit, .. } = self.project().state.project() else { return None };
        let (permit, began) = permit.take()?;
        let now = permit.now();
        match answer {
            // The stream only begins here; the layer that reads it reports its end.
            Ok(replied) if replied.call.watched => {
                replied.outstanding = Some(Outstanding::new(permit, now.since(began)));
                None
            }
            Ok(_) => permit.success(now, now.since(began)),
            Err(error) => permit.failure(error, now, now.since(began)),
        }
    }
}

/// The next state of a call after the shared state was read.
fn judged<S, R>(mut service: S, mut call: Call, health: &Health) -> State<S, S::Future, Replied<R>>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    let now = health.world().tick();
    call.now = Some(now);
    let admitted = call.model.as_ref().map(|model| health.admit_and_tell(model, now, call.last_resort));
    match admitted.transpose() {
        Ok(None) => State::Calling { inner: service.call(call), permit: None },
        Ok(Some((permit, None))) => State::Calling { inner: service.call(call), permit: Some((permit, now)) },
        Ok(Some((permit, Some(telling)))) => {
            State::Confirming { telling, next: Some((service, call, permit)) }
        }
        Err(refusal) => refused(refusal, &call),
    }
}

/// The next state of a probe after it was published.
fn confirmed<S, R>(mut service: S, mut call: Call, permit: Permit) -> State<S, S::Future, Replied<R>>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    let now = permit.now();
    call.now = Some(now);
    match permit.confirm(now) {
        Ok(()) => State::Calling { inner: service.call(call), permit: Some((permit, now)) },
        Err(refusal) => refused(refusal, &call),
    }
}

fn refused<S, F, T>(refusal: NotAdmitted, call: &Call) -> State<S, F, T> {
    State::Replied(Some(Err(refusal.error(call))))
}

impl<S, F, T> fmt::Debug for ResponseFuture<S, F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("breaker::ResponseFuture").finish_non_exhaustive()
    }
}
