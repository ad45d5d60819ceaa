//! The future of an [`Attempt`](super::Attempt).

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hooks_core::HookFuture;
use hooks_core::time::Tick;
use pin_project::{pin_project, pinned_drop};

use super::AttemptLayer;
use crate::call::{Call, Replied};
use crate::classify::Classify;
use crate::error::{ErrorKind, ModelError};

/// The answer of the client, or the error of its time limit.
#[pin_project(PinnedDrop)]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, C> {
    #[pin]
    state: State<F>,
    /// The call, moved into the answer. Its `now` is when the attempt began.
    call: Option<Call>,
    layer: AttemptLayer<C>,
}

#[pin_project(project = StateProjection)]
enum State<F> {
    Calling {
        #[pin]
        inner: F,
        timer: Option<Armed>,
    },
    Refused(Option<ModelError>),
}

impl<F, C> ResponseFuture<F, C> {
    pub(super) fn calling(inner: F, call: Call, layer: AttemptLayer<C>) -> Self {
        Self { state: State::Calling { inner, timer: None }, call: Some(call), layer }
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
    type Output = Result<Replied<R>, ModelError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let shared = &this.layer.shared;
        let Some(call) = this.call else { return Poll::Ready(Err(ModelError::polled_again())) };
        let answer = match this.state.as_mut().project() {
            StateProjection::Refused(error) => Err(error.take().unwrap_or_else(ModelError::polled_again)),
            StateProjection::Calling { inner, timer } => {
                // A panic of the client or of the timer (such as one without a runtime) becomes an error.
                let polled = catch_unwind(AssertUnwindSafe(|| match inner.poll(cx) {
                    Poll::Ready(answer) => {
                        Poll::Ready(answer.map_err(|error| shared.classify.classify(error)))
                    }
                    Poll::Pending => {
                        let armed = timer.get_or_insert_with(|| Armed::new(call, this.layer));
                        Pin::new(&mut armed.sleep).poll(cx).map(|()| Err(armed.too_late()))
                    }
                }));
                ready!(polled.unwrap_or_else(|panic| Poll::Ready(Err(panicked(&*panic)))))
            }
        };
        // If the call was already moved out, nothing is polled any more.
        let Some(call) = this.call.take() else { return Poll::Ready(Err(ModelError::polled_again())) };
        this.state.disarmed(&call);
        Poll::Ready(match answer {
            Ok(reply) => Ok(Replied::new(call, reply)),
            Err(error) if error.model().is_some() => Err(error),
            Err(error) => Err(error.with_model_of(&call)),
        })
    }
}

/// Marks the timer as dropped.
#[pinned_drop]
impl<F, C> PinnedDrop for ResponseFuture<F, C> {
    fn drop(self: Pin<&mut Self>) {
        if let Some(call) = &self.call {
            self.state.disarmed(call);
        }
    }
}

impl<F> State<F> {
    /// Marks the call as without a timer, if it had one.
    fn disarmed(&self, call: &Call) {
        if matches!(self, Self::Calling { timer: Some(_), .. }) {
            call.mark_timed(false);
        }
    }
}

/// The one timer of an attempt.
struct Armed {
    sleep: HookFuture<'static, ()>,
    /// Error kind of the attempt if the timer fires.
    kind: ErrorKind,
}

impl Armed {
    fn new<C>(call: &mut Call, layer: &AttemptLayer<C>) -> Self {
        let began = call.tick(&layer.shared.world);
        let (world, settings) = (&layer.shared.world, &layer.shared.settings);
        let own = call.model.as_ref().and_then(|model| model.attempt_timeout);
        let own = own.unwrap_or_else(|| settings.timeout.min(share(call, began)));
        let (until, kind) = match call.deadline {
            Some(deadline) if deadline <= began.after(own) => (deadline, ErrorKind::DeadlineExceeded),
            _ => (began.after(own), settings.too_late()),
        };
        let sleep = world.sleep_until(until);
        call.mark_timed(true);
        Self { sleep, kind }
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

/// The longest that an attempt which began at `began` may take, if another model could still answer after it:
/// a third of the time that its call had in all. Without this limit, a model that never answers would use up the
/// deadline of the whole chain. Half of the time for a later attempt would leave nothing for the one after it.
/// A share of the remaining time would soon be too short for many good answers.
fn share(call: &Call, began: Tick) -> Duration {
    let (Some(deadline), Some(elsewhere)) = (call.deadline, call.elsewhere) else { return Duration::MAX };
    let share = deadline.since(call.began().unwrap_or(began)) / 3;
    if elsewhere <= began.after(share) { share } else { Duration::MAX }
}

/// Turns a panic into an error.
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
