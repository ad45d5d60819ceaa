//! The future of a [`Hedge`](super::Hedge).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;
use tower_service::Service;

use super::layer::Shared;
use crate::call::{Call, FailedAttempt, Replied};
use crate::catalog::Model;
use crate::error::ModelError;

/// The first answer of two attempts.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<S: Service<Call>> {
    /// `None` once the attempt ended, which frees what the client and the layers below hold for it.
    #[pin]
    first: Option<S::Future>,
    /// Error of the first attempt, while the second is still in flight.
    failed: Option<(ModelError, Tick)>,
    #[pin]
    second: Second<S::Future>,
    /// Parts of a second attempt; `None` if there will be none.
    rest: Option<Rest<S>>,
}

struct Rest<S> {
    inner: S,
    call: Call,
    shared: Arc<Shared>,
    began: Tick,
    /// Model of the second attempt.
    beside: Option<Arc<Model>>,
    /// Failures of the second attempt.
    lost: Vec<FailedAttempt>,
}

impl<S> Rest<S> {
    fn now(&self) -> Tick {
        self.shared.health.world().tick()
    }

    /// Records a failure of the second attempt.
    fn lost(&mut self, mut error: ModelError) {
        let name =
            self.beside.as_ref().map_or_else(|| self.call.model_name().into(), |it| Arc::clone(&it.name));
        let now = self.now();
        self.lost.append(&mut error.take_failed());
        self.lost.push(FailedAttempt::new(name, &error, now));
    }
}

#[pin_project(project = SecondProjection)]
enum Second<F> {
    /// The first attempt was not polled yet.
    Idle,
    /// Waits until the first attempt is slow.
    Delayed(HookFuture<'static, ()>),
    /// The service is made ready for this call.
    Readying(Option<Call>),
    Asking(#[pin] F),
    /// The second attempt failed, or will not be made.
    Over,
}

impl<S: Service<Call>> ResponseFuture<S> {
    pub(super) fn alone(first: S::Future) -> Self {
        Self { first: Some(first), failed: None, second: Second::Over, rest: None }
    }

    pub(super) fn hedged(first: S::Future, inner: S, call: Call, shared: Arc<Shared>, began: Tick) -> Self {
        let (beside, lost) = (None, Vec::new());
        let rest = Some(Rest { inner, call, shared, began, beside, lost });
        Self { first: Some(first), failed: None, second: Second::Idle, rest }
    }
}

impl<S, R> Future for ResponseFuture<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    type Output = Result<Replied<R>, ModelError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = std::task::ready!(self.as_mut().advance(cx));
        // The call is complete: both attempts are dropped, and another poll sends nothing.
        let mut this = self.project();
        this.first.set(None);
        this.second.set(Second::Over);
        *this.rest = None;
        Poll::Ready(outcome)
    }
}

impl<S, R> ResponseFuture<S>
where
    S: Service<Call, Response = Replied<R>, Error = ModelError>,
{
    fn advance(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<Replied<R>, ModelError>> {
        let mut this = self.project();
        if this.first.is_none() && this.rest.is_none() {
            return Poll::Ready(Err(ModelError::polled_again()));
        }
        if let Some(first) = this.first.as_mut().as_pin_mut()
            && let Poll::Ready(answer) = first.poll(cx)
        {
            this.first.set(None);
            let Some(rest) = this.rest.as_mut() else { return Poll::Ready(answer) };
            let now = rest.now();
            let on_its_way = matches!(*this.second, Second::Readying(_) | Second::Asking(_));
            match answer {
                Err(error) if on_its_way => *this.failed = Some((error, now)),
                Err(error) => return Poll::Ready(Err(error.with_failed(std::mem::take(&mut rest.lost)))),
                Ok(mut replied) => {
                    rest.shared.took(&rest.call, now.since(rest.began));
                    if !rest.lost.is_empty() {
                        rest.lost.append(&mut replied.failed);
                        replied.failed = std::mem::take(&mut rest.lost);
                    }
                    return Poll::Ready(Ok(replied));
                }
            }
        }
        let Some(rest) = this.rest.as_mut() else { return Poll::Pending };
        loop {
            let next = match this.second.as_mut().project() {
                SecondProjection::Idle => match rest.shared.delay(&rest.call) {
                    Some(delay) => Second::Delayed(rest.shared.health.world().timer.sleep(delay)),
                    None => Second::Over,
                },
                SecondProjection::Delayed(delay) => {
                    std::task::ready!(Pin::new(delay).poll(cx));
                    match rest.shared.second(&rest.call, rest.now()) {
                        Some(call) => {
                            rest.beside = call.model.clone();
                            Second::Readying(Some(call))
                        }
                        None => Second::Over,
                    }
                }
                SecondProjection::Readying(call) => match std::task::ready!(rest.inner.poll_ready(cx)) {
                    Ok(()) => match call.take() {
                        Some(call) => Second::Asking(rest.inner.call(call)),
                        None => Second::Over,
                    },
                    Err(error) => {
                        rest.lost(error);
                        Second::Over
                    }
                },
                SecondProjection::Asking(second) => match std::task::ready!(second.poll(cx)) {
                    Ok(mut replied) => {
                        match this.failed.take() {
                            Some((mut error, at)) => {
                                let mut failed = error.take_failed();
                                let name = Arc::<str>::from(rest.call.model_name());
                                failed.push(FailedAttempt::new(name, &error, at));
                                failed.append(&mut replied.failed);
                                replied.failed = failed;
                            }
                            // The first attempt would have taken even longer. Without this entry, slow models
                            // would look fast.
                            None => rest.shared.took(&rest.call, rest.now().since(rest.began)),
                        }
                        return Poll::Ready(Ok(replied));
                    }
                    Err(error) => {
                        rest.lost(error);
                        Second::Over
                    }
                },
                // The result is that of the first attempt: the call belongs to its model.
                SecondProjection::Over => {
                    return match this.failed.take() {
                        Some((error, _)) => {
                            Poll::Ready(Err(error.with_failed(std::mem::take(&mut rest.lost))))
                        }
                        None => Poll::Pending,
                    };
                }
            };
            this.second.set(next);
        }
    }
}

impl<S: Service<Call>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("hedge::ResponseFuture").finish_non_exhaustive()
    }
}
