//! The future of an [`AttemptService`](super::AttemptService).

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::pin_project;

use super::AttemptLayer;
use crate::call::{Answered, Call, Timing};
use crate::classify::Classify;
use crate::error::{ErrorKind, ModelError};

/// The answer of a client, in time or not.
#[pin_project]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, C> {
    #[pin]
    state: State<F>,
    /// Moved into the answer.
    call: Option<Call>,
    layer: AttemptLayer<C>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    Asked {
        #[pin]
        inner: F,
        began: Tick,
        timer: Option<Armed>,
    },
    Refused(Option<ModelError>),
}

impl<F, C> ResponseFuture<F, C> {
    pub(super) fn asked(inner: F, call: Call, began: Tick, layer: AttemptLayer<C>) -> Self {
        Self { state: State::Asked { inner, began, timer: None }, call: Some(call), layer }
    }

    pub(super) fn refused(error: ModelError, call: Call, layer: AttemptLayer<C>) -> Self {
        Self { state: State::Refused(Some(error)), call: Some(call), layer }
    }
}

impl<F, C, R, E> Future for ResponseFuture<F, C>
where
    F: Future<Output = Result<R, E>>,
    C: Classify<E>,
{
    type Output = Result<Answered<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let shared = &this.layer.shared;
        let Some(call) = this.call else { return Poll::Ready(Err(ModelError::polled_again())) };
        let answer = match this.state.project() {
            StateProjection::Refused(error) => Err(error.take().unwrap_or_else(ModelError::polled_again)),
            StateProjection::Asked { inner, began, timer } => {
                // A timer without a runtime panics as a client does: neither may be waited for without an end.
                let polled = catch_unwind(AssertUnwindSafe(|| match inner.poll(cx) {
                    Poll::Ready(answer) => {
                        Poll::Ready(answer.map_err(|error| shared.classify.classify(error)))
                    }
                    Poll::Pending => {
                        let armed = timer.get_or_insert_with(|| Armed::new(call, *began, this.layer));
                        Pin::new(&mut armed.sleep).poll(cx).map(|()| Err(armed.too_late()))
                    }
                }));
                ready!(polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic)))))
            }
        };
        // Without it, nothing is polled any more.
        let Some(call) = this.call.take() else { return Poll::Ready(Err(ModelError::polled_again())) };
        Poll::Ready(match answer {
            Ok(reply) => Ok(Answered::new(call, reply)),
            Err(error) if error.model().is_some() => Err(error),
            Err(error) => Err(error.with_model_of(&call)),
        })
    }
}

/// The one timer of an attempt.
struct Armed {
    sleep: HookFuture<'static, ()>,
    /// What running out of it means.
    kind: ErrorKind,
    /// Knows of the timer, as long as there is one.
    timing: Timing,
}

impl Armed {
    fn new<C>(call: &Call, began: Tick, layer: &AttemptLayer<C>) -> Self {
        let (world, settings) = (&layer.shared.world, &layer.shared.settings);
        let own = call.model.as_ref().and_then(|model| model.attempt_timeout).unwrap_or(settings.timeout);
        let (until, kind) = match call.deadline {
            Some(deadline) if deadline <= began.after(own) => (deadline, ErrorKind::DeadlineExceeded),
            _ => (began.after(own), settings.too_late()),
        };
        let sleep = world.sleep_until(until);
        let timing = call.timing();
        timing.mark_timed(true);
        Self { sleep, kind, timing }
    }

    fn too_late(&self) -> ModelError {
        ModelError::new(
            self.kind,
            match self.kind {
                ErrorKind::DeadlineExceeded => "there was no answer by the deadline of the call",
                ErrorKind::FirstByteTimeout => "no answer began in the time an attempt has",
                _ => "there was no answer in the time an attempt has",
            },
        )
    }
}

impl Drop for Armed {
    fn drop(&mut self) {
        self.timing.mark_timed(false);
    }
}

/// A panic is a failure like others.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> ModelError {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    ModelError::new(ErrorKind::Unknown, format!("the client panicked: {words}"))
}

impl<F, C> fmt::Debug for ResponseFuture<F, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("attempt::ResponseFuture").finish_non_exhaustive()
    }
}
