//! The future of a [`PolicyService`](super::PolicyService).

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::Policy;
use crate::error::HookError;
use crate::event::Event;
use crate::outcome::{Judged, Outcome};
use crate::request::HookRequest;
use crate::verdict::Verdict;

pin_project! {
    /// Resolves to the merged answer of a policy and the hook behind it.
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F, E: Event, P> {
        #[pin]
        state: State<F, E, P>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<F, E: Event, P> {
        Done {
            outcome: Option<E::Outcome>,
        },
        Inner {
            #[pin]
            future: F,
            policy: P,
            // Verdict of the policy on the event of this generation.
            verdict: Verdict,
            generation: u32,
        },
    }
}

impl<F, E: Event, P> ResponseFuture<F, E, P> {
    pub(super) fn done(outcome: E::Outcome) -> Self {
        Self { state: State::Done { outcome: Some(outcome) } }
    }

    pub(super) fn inner(future: F, policy: P, verdict: Verdict, generation: u32) -> Self {
        Self { state: State::Inner { future, policy, verdict, generation } }
    }
}

impl<F, E, P> Future for ResponseFuture<F, E, P>
where
    F: Future<Output = Result<E::Outcome, HookError>>,
    E: Event<Outcome: Judged<E>>,
    P: Policy<E>,
{
    type Output = Result<E::Outcome, HookError>;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Done { outcome } => Poll::Ready(Ok(outcome.take().unwrap_or_default())),
            StateProjection::Inner { future, policy, verdict, generation } => {
                let inner = ready!(future.poll(cx))?;
                let mut verdict = std::mem::take(verdict);
                match inner.judged_event().filter(|last| last.generation() != *generation) {
                    Some(request) => verdict = judged_again(policy, verdict, request),
                    // The common case, kept short: a policy without an opinion changes nothing.
                    None if verdict.is_silent() => return Poll::Ready(Ok(inner)),
                    None => {}
                }
                let mut outcome = E::Outcome::from(verdict);
                outcome.merge(inner);
                Poll::Ready(Ok(outcome))
            }
        }
    }
}

/// Judges the event as it now is. Of the earlier verdict, deny and ask stay; a reason that both verdicts have
/// is kept once.
fn judged_again<E: Event>(policy: &impl Policy<E>, earlier: Verdict, request: &HookRequest<E>) -> Verdict {
    let mut verdict = earlier.stale();
    let mut again = policy.judge(request);
    again.forget_reasons_of(&verdict);
    verdict.merge(again);
    verdict
}

impl<F, E: Event, P> std::fmt::Debug for ResponseFuture<F, E, P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("policy::ResponseFuture").finish_non_exhaustive()
    }
}
