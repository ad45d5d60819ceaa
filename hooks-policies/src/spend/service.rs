use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use super::budget::{AnswerBound, SpendBudget};
use super::error::SpendError;
use super::future::{Admission, ResponseFuture, StreamFuture};
use super::meter::{Meter, MeterReply, SpendApprover};

/// Holds what a call may cost, makes it, and settles with what it took. What the budget does not allow is not called.
///
/// An answer that comes as a whole cannot be cut: all that it may take is held, where that is known, or, where the
/// meter can tell the model to answer less, as much as there is. Where nobody knows how long it becomes, a step is held,
/// and what it takes beyond that is charged although it may lead beyond the limit. Dropped before the model was called, what is held is
/// released; dropped or failed later, it is charged as the budget's `unanswered` says.
///
/// Always ready: it holds first and drives the readiness of a clone of the model then. It boxes one future per call
/// for its questions to the store. Put it inside of what tries again or elsewhere, so that each attempt is counted
/// with its own model, and keep the `enforce` of the budget at `layer`: the hooks on model calls would count it
/// again.
#[derive(Clone)]
pub struct SpendBudgetService<S, M> {
    inner: S,
    admission: Admission<M>,
}

/// The same around a model that streams: little more than the input is held at first, more as the answer grows, and
/// where there is no more to hold the stream is cut, with an error at its end.
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

            /// The model.
            pub const fn get_ref(&self) -> &S {
                &self.inner
            }

            /// The model, to change.
            pub const fn get_mut(&mut self) -> &mut S {
                &mut self.inner
            }

            /// The model alone.
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
        let opening = self.admission.clone().admit(request, AnswerBound::Nothing);
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
        let opening = self.admission.clone().admit(request, AnswerBound::Cut);
        StreamFuture::new(self.inner.clone(), opening, meter, step)
    }
}
