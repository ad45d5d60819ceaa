//! Futures of the services.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use hooks_core::HookFuture;
use hooks_core::state::StoreError;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::budget::{ReplyBound, SpendBudget};
use super::error::SpendError;
use super::hold::SpendHold;
use super::meter::{Meter, MeterReply, SpendApprover};
use super::refusal::SpendRefusal;
use super::stream::SpendStream;
use super::watch::SpendNotice;

/// The request as it will be sent, with its reservation.
type Admitted<R> = Result<(R, SpendHold), SpendRefusal>;

/// Parts that admit a call.
#[derive(Clone)]
pub(super) struct Admission<M> {
    pub(super) budget: SpendBudget,
    pub(super) meter: M,
    pub(super) approver: Option<Arc<dyn SpendApprover>>,
}

impl<M> Admission<M> {
    /// Applies the thresholds, then reserves.
    pub(super) fn admit<R>(self, mut request: R, bound: ReplyBound) -> HookFuture<'static, Admitted<R>>
    where
        R: Send + 'static,
        M: Meter<R> + Send + Sync + 'static,
    {
        HookFuture::later(async move {
            let Self { budget, meter, approver } = self;
            let mut size = meter.size(&request);
            let advice = budget.advice(&size.context, &size.model).await?;
            if let Some(reason) = advice.ask {
                let approval = approver.map(|approver| approver.approve(size.clone(), reason.clone()));
                let is_approved = match approval {
                    Some(approval) => approval.await,
                    None => false,
                };
                if !is_approved {
                    return Err(SpendRefusal::Refused(reason.into()));
                }
                budget.approve(&size.context, &size.model).await?;
            }
            if let Some(instead) = advice.cheaper
                && meter.use_model(&mut request, &instead)
            {
                let before = std::mem::replace(&mut size, meter.size(&request));
                if let Some(watch) = &budget.watch {
                    let notice = SpendNotice::Cheaper { model: before.model, instead };
                    watch.tell(&size.context, notice).await;
                }
            }
            let bound = match bound {
                ReplyBound::Nothing if meter.can_bound() => ReplyBound::Told,
                bound => bound,
            };
            let hold = budget.hold(&size, bound).await?;
            if bound == ReplyBound::Told {
                meter.reply_at_most(&mut request, hold.output_tokens());
            }
            Ok((request, hold))
        })
    }
}

pin_project! {
    /// Call with its reservation, until the model's answer.
    struct Calling<S: Service<R>, R> {
        #[pin]
        state: State<S, R>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<S: Service<R>, R> {
        Opening {
            opening: HookFuture<'static, Admitted<R>>,
            inner: Option<S>,
        },
        Readying {
            inner: S,
            admitted: Option<(R, SpendHold)>,
        },
        Waiting {
            #[pin]
            answer: S::Future,
            hold: Option<SpendHold>,
        },
        /// The model failed: its reservation ends, then its error is returned.
        Failing {
            ending: HookFuture<'static, Result<(), StoreError>>,
            error: Option<S::Error>,
        },
        Over,
    }
}

impl<S: Service<R>, R> Calling<S, R> {
    fn new(inner: S, opening: HookFuture<'static, Admitted<R>>) -> Self {
        Self { state: State::Opening { opening, inner: Some(inner) } }
    }
}

impl<S: Service<R>, R> Future for Calling<S, R> {
    type Output = Result<(S::Response, SpendHold), SpendError<S::Error>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            let next = match state.as_mut().project() {
                StateProjection::Opening { opening, inner } => {
                    let admitted = ready!(Pin::new(opening).poll(cx))?;
                    let Some(inner) = inner.take() else { return Poll::Pending };
                    State::Readying { inner, admitted: Some(admitted) }
                }
                StateProjection::Readying { inner, admitted } => {
                    ready!(inner.poll_ready(cx)).map_err(SpendError::Model)?;
                    let Some((request, mut hold)) = admitted.take() else { return Poll::Pending };
                    hold.sent();
                    State::Waiting { answer: inner.call(request), hold: Some(hold) }
                }
                StateProjection::Waiting { answer, hold } => {
                    let answer = ready!(answer.poll(cx));
                    let Some(hold) = hold.take() else { return Poll::Pending };
                    match answer {
                        Ok(answer) => {
                            state.set(State::Over);
                            return Poll::Ready(Ok((answer, hold)));
                        }
                        Err(error) => State::Failing { ending: hold.end(), error: Some(error) },
                    }
                }
                StateProjection::Failing { ending, error } => {
                    // A part that could not be settled is charged when it expires.
                    let _settled = ready!(Pin::new(ending).poll(cx));
                    let Some(error) = error.take() else { return Poll::Pending };
                    return Poll::Ready(Err(SpendError::Model(error)));
                }
                StateProjection::Over => return Poll::Pending,
            };
            state.set(next);
        }
    }
}

/// Answer that has arrived, while its reservation ends.
struct Settling<A> {
    ending: HookFuture<'static, Result<(), StoreError>>,
    answer: Option<A>,
}

pin_project! {
    /// Future of a whole answer of a metered model.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<S: Service<R>, R, M> {
        #[pin]
        calling: Calling<S, R>,
        settling: Option<Settling<S::Response>>,
        meter: M,
    }
}

impl<S: Service<R>, R, M> ResponseFuture<S, R, M> {
    pub(super) fn new(inner: S, opening: HookFuture<'static, Admitted<R>>, meter: M) -> Self {
        Self { calling: Calling::new(inner, opening), settling: None, meter }
    }
}

impl<S, R, M> Future for ResponseFuture<S, R, M>
where
    S: Service<R>,
    M: MeterReply<S::Response>,
{
    type Output = Result<S::Response, SpendError<S::Error>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            if let Some(Settling { ending, answer }) = this.settling {
                // The answer has arrived and is paid for, so it is returned even if the store fails. A part
                // that could not be settled is charged when it expires.
                let _settled = ready!(Pin::new(ending).poll(cx));
                return answer.take().map_or(Poll::Pending, |answer| Poll::Ready(Ok(answer)));
            }
            let (answer, mut hold) = ready!(this.calling.as_mut().poll(cx))?;
            hold.used(this.meter.used(&answer));
            *this.settling = Some(Settling { ending: hold.end(), answer: Some(answer) });
        }
    }
}

impl<S: Service<R>, R, M> std::fmt::Debug for ResponseFuture<S, R, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("spend::ResponseFuture").finish_non_exhaustive()
    }
}

pin_project! {
    /// Future of the start of a metered stream.
    #[must_use = "futures do nothing unless polled"]
    pub struct StreamFuture<S: Service<R>, R, M> {
        #[pin]
        calling: Calling<S, R>,
        meter: Option<M>,
        step: u64,
    }
}

impl<S: Service<R>, R, M> StreamFuture<S, R, M> {
    pub(super) fn new(inner: S, opening: HookFuture<'static, Admitted<R>>, meter: M, step: u64) -> Self {
        Self { calling: Calling::new(inner, opening), meter: Some(meter), step }
    }
}

impl<S: Service<R>, R, M> Future for StreamFuture<S, R, M> {
    type Output = Result<SpendStream<S::Response, M>, SpendError<S::Error>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let (stream, hold) = ready!(this.calling.poll(cx))?;
        let Some(meter) = this.meter.take() else { return Poll::Pending };
        Poll::Ready(Ok(SpendStream::new(stream, meter, hold, *this.step)))
    }
}

impl<S: Service<R>, R, M> std::fmt::Debug for StreamFuture<S, R, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("spend::StreamFuture").finish_non_exhaustive()
    }
}
