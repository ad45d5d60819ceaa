//! The future of a [`Bulkhead`](super::Bulkhead).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service;

use super::BulkheadLayer;
use crate::call::{Call, Replied};
use crate::error::{ErrorKind, ModelError};
use crate::health::{Because, NotAdmitted};

/// The answer of a call, once it holds a place.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S, F> {
    #[pin]
    state: State<S, F>,
}

#[pin_project(project = StateProjection)]
enum State<S, F> {
    Waiting {
        place: HookFuture<'static, Option<OwnedSemaphorePermit>>,
        sleep: Option<HookFuture<'static, ()>>,
        latest: Option<Tick>,
        /// The service and the call, until there is a place.
        next: Option<(S, Call)>,
        layer: BulkheadLayer,
    },
    Calling {
        #[pin]
        inner: F,
        place: Option<OwnedSemaphorePermit>,
    },
}

impl<S, F> ResponseFuture<S, F> {
    pub(super) const fn calling(inner: F, place: Option<OwnedSemaphorePermit>) -> Self {
        Self { state: State::Calling { inner, place } }
    }

    pub(super) fn waiting(service: S, call: Call, places: Arc<Semaphore>, layer: &BulkheadLayer) -> Self {
        let latest = call.latest();
        // Boxed, since only the waiting path pays for it. The semaphore is never closed, so the wait always
        // ends with a place.
        let place = HookFuture::later(async move { places.acquire_owned().await.ok() });
        let layer = layer.clone();
        Self { state: State::Waiting { place, sleep: None, latest, next: Some((service, call)), layer } }
    }
}

impl<S, R> Future for ResponseFuture<S, S::Future>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.state.as_mut().project() {
                StateProjection::Waiting { next: None, .. } => {
                    return Poll::Ready(Err(ModelError::polled_again()));
                }
                StateProjection::Waiting { place, sleep, latest, next, layer } => {
                    let world = &layer.places.world;
                    let Poll::Ready(place) = Pin::new(place).poll(cx) else {
                        let Some(latest) = *latest else { return Poll::Pending };
                        let sleep = sleep.get_or_insert_with(|| world.sleep_until(latest));
                        ready!(Pin::new(sleep).poll(cx));
                        return Poll::Ready(Err(match next.take() {
                            Some((_, call)) => no_place(&call, latest),
                            None => ModelError::polled_again(),
                        }));
                    };
                    let Some((mut service, mut call)) = next.take() else {
                        return Poll::Ready(Err(ModelError::polled_again()));
                    };
                    call.now = Some(world.tick());
                    let inner = service.call(call);
                    this.state.set(State::Calling { inner, place });
                }
                StateProjection::Calling { inner, place } => {
                    let answer = ready!(inner.poll(cx));
                    // Freed before the caller looks at the answer, however long the caller keeps this future.
                    drop(place.take());
                    return Poll::Ready(answer);
                }
            }
        }
    }
}

/// The error of a call that had no place by `latest`.
fn no_place(call: &Call, latest: Tick) -> ModelError {
    // The time at which a place will be free is unknown, so `latest` is the earliest time to try again.
    let refusal = NotAdmitted { ready_at: latest, because: Because::Bulkhead };
    let error = refusal.error(call);
    match call.deadline.is_some_and(|deadline| deadline <= latest) {
        true => error.with_kind(ErrorKind::DeadlineExceeded),
        false => error,
    }
}

impl<S, F> fmt::Debug for ResponseFuture<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("bulkhead::ResponseFuture").finish_non_exhaustive()
    }
}
