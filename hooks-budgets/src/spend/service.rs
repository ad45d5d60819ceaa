use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use super::budget::{ReplyBound, SpendBudget};
use super::error::SpendError;
use super::future::{Admission, ResponseFuture, StreamFuture};
use super::meter::{Meter, MeterReply, SpendApprover};

/// Reserves the possible cost of a call, makes it, and settles its real cost. A call that the budget does not
/// allow is not made.
///
/// A whole answer cannot be cut. If the most that it may take is known, all of that is reserved. If the meter
/// can limit the answer, at most the remaining budget is reserved, and the answer is limited to that. If the
/// length is unknown and a limit applies, the call is denied; without a limit, one step is reserved. If the
/// future is dropped before the model is called, the reservation is released; if it is dropped or fails later,
/// it is charged as the budget's `unanswered` configures.
///
/// Always ready: reserves first, and then drives the readiness of a clone of the model. Boxes one future per
/// call for its requests to the store. Put it inside layers that retry or fall back to another model, so that
/// each attempt is counted with its own model. Keep the `enforce` of the budget at `layer`, otherwise the
/// hooks on model calls count the call again.
#[derive(Clone)]
pub struct SpendBudgetService<S, M> {
    inner: S,
    admission: Admission<M>,
}

/// The same around a model that streams. At first, little more than the input is reserved, and more as the
/// answer grows. If no more can be reserved, the stream is cut, with an error at its end.
#[derive(Clone)]
pub struct SpendStreamService<S, M> {
    inner: S,
    admission: Admission<M>,
}

macro_rules! service {
    ($name:ident) => {
        impl<S, M> $name<S, M> {
            pub(super) fn new(
                inner: S,
                budget: SpendBudget,
                meter: M,
                approver: Option<Arc<dyn SpendApprover>>,
            ) -> Self {
                Self { inner, admission: Admission { budget, meter, approver } }
            }

            /// Returns the model.
            pub const fn get_ref(&self) -> &S {
                &self.inner
            }

            /// Returns the model mutably.
            pub const fn get_mut(&mut self) -> &mut S {
                &mut self.inner
            }

            /// Returns the model without the budget.
            pub fn into_inner(self) -> S {
                self.inner
            }
        }

        impl<S, M> std::fmt::Debug for $name<S, M> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("budget", &self.admission.budget)
                    .finish_non_exhaustive()
            }
        }
    };
}
service!(SpendBudgetService);
service!(SpendStreamService);

impl<S, M, R> Service<R> for SpendBudgetService<S, M>
where
    S: Service<R> + Clone,
    R: Send + 'static,
    M: Meter<R> + MeterReply<S::Response> + Clone + Send + Sync + 'static,
{
    type Response = S::Response;
    type Error = SpendError<S::Error>;
    type Future = ResponseFuture<S, R, M>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: R) -> Self::Future {
        let meter = self.admission.meter.clone();
        let opening = self.admission.clone().admit(request, ReplyBound::Nothing);
        ResponseFuture::new(self.inner.clone(), opening, meter)
    }
}

impl<S, M, R> Service<R> for SpendStreamService<S, M>
where
    S: Service<R> + Clone,
    R: Send + 'static,
    M: Meter<R> + Clone + Send + Sync + 'static,
{
    type Response = super::stream::SpendStream<S::Response, M>;
    type Error = SpendError<S::Error>;
    type Future = StreamFuture<S, R, M>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: R) -> Self::Future {
        let Admission { budget, meter, .. } = self.admission.clone();
        let step = budget.rules.hold.step;
        let opening = self.admission.clone().admit(request, ReplyBound::Cut);
        StreamFuture::new(self.inner.clone(), opening, meter, step)
    }
}
