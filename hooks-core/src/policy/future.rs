//! The future of a [`PolicyService`](super::PolicyService).

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project::pin_project;

use super::Policy;
use crate::error::HookError;
use crate::event::Event;
use crate::outcome::Judged;
use crate::request::HookRequest;
use crate::verdict::Verdict;

/// The answer of a policy and of the hook behind it.
#[pin_project]
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct ResponseFuture<F, E: Event, P> {
    #[pin]
    state: State<F, E::Outcome, P>,
    of: PhantomData<fn() -> E>,
}

#[pin_project(project = StateProjection)]
#[derive(Debug)]
enum State<F, O, P> {
    Decided {
        outcome: Option<O>,
    },
    Inner {
        #[pin]
        future: F,
        policy: P,
        verdict: Verdict,
        revision: u32,
    },
}

impl<F, E: Event, P> ResponseFuture<F, E, P> {
    pub(super) fn decided(outcome: E::Outcome) -> Self {
        Self { state: State::Decided { outcome: Some(outcome) }, of: PhantomData }
    }

    pub(super) fn inner(future: F, policy: P, verdict: Verdict, revision: u32) -> Self {
        Self { state: State::Inner { future, policy, verdict, revision }, of: PhantomData }
    }
}

impl<F, E, P> Future for ResponseFuture<F, E, P>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event<Outcome: Judged<E>>,
    P: Policy<E>,
{
    type Output = Result<E::Outcome, HookError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Decided { outcome } => Poll::Ready(Ok(outcome.take().unwrap_or_default())),
            StateProjection::Inner { future, policy, verdict, revision } => {
                let inner = ready!(future.poll(cx))?;
                let mut verdict = std::mem::take(verdict);
                if let Some(request) = rewritten_since(&inner, *revision) {
                    verdict = verdict.stale();
                    verdict.merge(policy.judge(request));
                }
                let mut outcome = E::Outcome::from(verdict);
                crate::outcome::Outcome::merge(&mut outcome, inner);
                Poll::Ready(Ok(outcome))
            }
        }
    }
}

/// The event as it was judged further in, where that is not the one of `revision`.
pub(crate) fn rewritten_since<E: Event<Outcome: Judged<E>>>(
    outcome: &E::Outcome,
    revision: u32,
) -> Option<&HookRequest<E>> {
    outcome.effective().filter(|request| request.revision() != revision)
}
