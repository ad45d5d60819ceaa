//! The future of a [`Pacing`](super::Pacing).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;
use tower_service::Service;

use super::{Booked, Slot};
use crate::call::{Call, Replied};
use crate::error::{ErrorKind, ModelError};
use crate::health::{Because, Health, NotAdmitted};

/// The answer of a call that was sent in its slot.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S, F> {
    #[pin]
    state: State<S, F>,
}

#[pin_project(project = StateProjection)]
enum State<S, F> {
    /// Waits for a slot from the store of a fleet.
    Booking {
        booking: HookFuture<'static, Booked>,
        next: Option<Next<S>>,
    },
    /// Waits for the time of the slot.
    Waiting {
        sleep: HookFuture<'static, ()>,
        slot: Option<Slot>,
        next: Option<Next<S>>,
    },
    /// The call was sent.
    Sent {
        #[pin]
        inner: F,
        slot: Option<Slot>,
    },
    Refused(Option<ModelError>),
}

/// The call to send in its slot, with its service.
struct Next<S> {
    service: S,
    call: Call,
    health: Health,
}

impl<S, F> ResponseFuture<S, F> {
    pub(super) fn sent(inner: F, slot: Option<Slot>) -> Self {
        Self { state: State::sent(inner, slot) }
    }

    pub(super) fn waiting(
        booked: Result<Booked, HookFuture<'static, Booked>>,
        service: S,
        call: Call,
        health: &Health,
    ) -> Self {
        let next = Next { service, call, health: health.clone() };
        Self {
            state: match booked {
                Ok(booked) => State::booked(booked, next),
                Err(booking) => State::Booking { booking, next: Some(next) },
            },
        }
    }

    pub(super) fn refused(ready_at: Tick, call: &Call) -> Self {
        Self { state: State::refused(ready_at, call) }
    }
}

impl<S, F> State<S, F> {
    fn booked(booked: Booked, next: Next<S>) -> Self {
        match booked {
            Ok(slot) => {
                let world = next.health.world();
                let sleep = match &slot {
                    Some(slot) => world.sleep_until(slot.at()),
                    None => HookFuture::now(()),
                };
                Self::Waiting { sleep, slot, next: Some(next) }
            }
            Err(ready_at) => Self::refused(ready_at, &next.call),
        }
    }

    fn sent(inner: F, mut slot: Option<Slot>) -> Self {
        slot.iter_mut().for_each(|slot| slot.used(true));
        Self::Sent { inner, slot }
    }

    fn refused(ready_at: Tick, call: &Call) -> Self {
        Self::Refused(Some(NotAdmitted { ready_at, because: Because::Rate }.error(call)))
    }
}

impl<S, R> Future for ResponseFuture<S, S::Future>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = self.as_mut().answer(cx);
        if let Poll::Ready(Err(error)) = &answer
            && error.kind() == ErrorKind::NotAdmitted
        {
            self.was_not_asked();
        }
        answer
    }
}

impl<S, R> ResponseFuture<S, S::Future>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    /// Drives the call to its answer.
    fn answer(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Replied<R>, ModelError>> {
        let mut this = self.project();
        loop {
            let state = match this.state.as_mut().project() {
                StateProjection::Booking { booking, next } => {
                    let booked = ready!(Pin::new(booking).poll(cx));
                    let Some(next) = next.take() else {
                        return Poll::Ready(Err(ModelError::polled_again()));
                    };
                    State::booked(booked, next)
                }
                StateProjection::Waiting { sleep, slot, next } => {
                    ready!(Pin::new(sleep).poll(cx));
                    let Some(Next { mut service, mut call, health }) = next.take() else {
                        return Poll::Ready(Err(ModelError::polled_again()));
                    };
                    call.now = Some(health.world().tick());
                    State::sent(service.call(call), slot.take())
                }
                StateProjection::Sent { inner, .. } => return inner.poll(cx),
                StateProjection::Refused(error) => {
                    return Poll::Ready(Err(error.take().unwrap_or_else(ModelError::polled_again)));
                }
            };
            this.state.set(state);
        }
    }

    /// Frees the slot for another call.
    fn was_not_asked(self: Pin<&mut Self>) {
        if let StateProjection::Sent { slot: Some(slot), .. } = self.project().state.project() {
            slot.used(false);
        }
    }
}

impl<S, F> fmt::Debug for ResponseFuture<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("pacing::ResponseFuture").finish_non_exhaustive()
    }
}
