use std::task::{Context, Poll};

use tower_service::Service;

use super::Policy;
use super::future::ResponseFuture;
use crate::error::HookError;
use crate::event::Event;
use crate::inner_accessors;
use crate::outcome::Judged;
use crate::request::{Evaluation, HookRequest};

/// Judges the event, then asks the inner hook, and merges both answers.
///
/// If the policy denies, the inner hook is not asked, unless the request has [`Evaluation::Everyone`]. If an
/// inner hook rewrites the event, or an inner decider waits, the policy judges the event again. An allow for
/// the old event is dropped (laws 2 and 6).
///
/// The cost is that of the policy, without an allocation. The service itself cannot fail, and it is ready
/// when the inner hook is. Its place in a stack does not change whether an event is denied.
#[derive(Clone, Copy, Debug)]
pub struct PolicyService<S, P> {
    inner: S,
    policy: P,
}

impl<S, P> PolicyService<S, P> {
    /// Lets `policy` judge before `inner` is asked.
    pub const fn new(inner: S, policy: P) -> Self {
        Self { inner, policy }
    }

    inner_accessors!(inner: S, "The inner hook");
}

impl<S, E, P> Service<HookRequest<E>> for PolicyService<S, P>
where
    S: Service<HookRequest<E>, Response = E::Outcome, Error = HookError>,
    E: Event<Outcome: Judged<E>>,
    P: Policy<E> + Clone,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = ResponseFuture<S::Future, E, P>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        self.inner.poll_ready(cx)
    }

    #[inline]
    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let verdict = self.policy.judge(&request);
        if verdict.is_final() && request.evaluation() == Evaluation::UntilDenied {
            let mut outcome = E::Outcome::from(verdict);
            outcome.settle(&request);
            return ResponseFuture::done(outcome);
        }
        let generation = request.generation();
        ResponseFuture::inner(self.inner.call(request), self.policy.clone(), verdict, generation)
    }
}
