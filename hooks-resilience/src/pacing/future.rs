//! The future of a [`PacingService`](super::PacingService).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use pin_project::pin_project;
use tower_service::Service;

use super::Slot;
use crate::call::{Answered, Call};
use crate::error::{ErrorKind, ModelError};

/// The answer of a call that was sent in its time.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S, F> {
    #[pin]
    state: State<S, F>,
}

#[pin_project(project = StateProjection)]
enum State<S, F> {
    Waiting {
        sleep: HookFuture<'static, ()>,
        /// The service, the call and its slot, until the moment has come.
        next: Option<(S, Call, Slot)>,
    },
    Sent {
        #[pin]
        inner: F,
        slot: Option<Slot>,
    },
    Refused(Option<ModelError>),
}

impl<S, F> ResponseFuture<S, F> {
    pub(super) fn sent(inner: F, mut slot: Option<Slot>) -> Self {
        slot.iter_mut().for_each(|slot| slot.used(true));
        Self { state: State::Sent { inner, slot } }
    }

    pub(super) fn waiting(service: S, call: Call, slot: Slot) -> Self {
        let sleep = slot.health().world().sleep_until(slot.at());
        Self { state: State::Waiting { sleep, next: Some((service, call, slot)) } }
    }

    pub(super) fn refused(error: ModelError) -> Self {
        Self { state: State::Refused(Some(error)) }
    }
}

impl<S, R> Future for ResponseFuture<S, S::Future>
where
    S: Service<Call, Response = Answered<R>, Error = ModelError>,
{
    type Output = Result<Answered<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.state.as_mut().project() {
                StateProjection::Waiting { sleep, next } => {
                    ready!(Pin::new(sleep).poll(cx));
                    let Some((mut service, mut call, slot)) = next.take() else { return Poll::Pending };
                    call.now = Some(slot.health().world().tick());
                    let inner = service.call(call);
                    this.state.set(Self::sent(inner, Some(slot)).state);
                }
                StateProjection::Sent { inner, slot } => {
                    let answer = ready!(inner.poll(cx));
                    // Nobody was asked: the place in the rate is free for somebody else.
                    if let (Some(slot), Err(error)) = (slot, &answer)
                        && error.kind() == ErrorKind::Closed
                    {
                        slot.used(false);
                    }
                    return Poll::Ready(answer);
                }
                StateProjection::Refused(error) => {
                    return Poll::Ready(Err(error.take().unwrap_or_else(|| {
                        ModelError::new(ErrorKind::Unknown, "it was asked again after it had answered")
                    })));
                }
            }
        }
    }
}

impl<S, F> fmt::Debug for ResponseFuture<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("pacing::ResponseFuture").finish_non_exhaustive()
    }
}
