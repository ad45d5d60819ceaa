//! The innermost services of a stack.

use std::future::{Ready, ready};
use std::task::{Context, Poll};

use tower_service::Service;

use crate::error::HookError;
use crate::event::Event;
use crate::outcome::Judged;
use crate::policy::Policy;
use crate::request::HookRequest;

/// The innermost service of a stack with policies. The policies judge the event after all layers have
/// rewritten it, and the outcome records which event that was.
///
/// It is always ready and never waits; it allocates nothing unless a policy gives a reason or the event was
/// rewritten.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{HookContext, HookRequest, Judge, Judged, Reason, Strength, Verdict, policy_fn};
/// use tower::ServiceExt;
///
/// let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
/// let ask = policy_fn("ask", |_: &HookRequest<PreToolUse>| Verdict::ask(Reason::new("ask", "all", "sure?")));
/// let call = HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
/// # futures_util::FutureExt::now_or_never(async {
/// let outcome = Judge::new((ask, allow)).oneshot(call).await.expect("policies return no errors");
/// assert_eq!(outcome.strength(), Strength::Ask); // the stronger answer
/// # }).expect("no hook waits");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Judge<P> {
    policies: P,
}

impl<P> Judge<P> {
    /// A leaf service of `policies`: one policy, or a tuple or slice of policies.
    pub const fn new(policies: P) -> Self {
        Self { policies }
    }
}

impl<E, P> Service<HookRequest<E>> for Judge<P>
where
    E: Event<Outcome: Judged<E>>,
    P: Policy<E>,
{
    type Response = E::Outcome;
    type Error = HookError;
    type Future = Ready<Result<E::Outcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let mut outcome = E::Outcome::from(self.policies.judge(&request));
        outcome.settle(&request);
        ready(Ok(outcome))
    }
}

/// The innermost service of a stack without policies of its own. It has no opinion, and records the event
/// after all layers have rewritten it. If no other hook has an opinion either, the host decides
/// ([`Govern::undecided`](crate::Govern::undecided)).
#[derive(Clone, Copy, Debug, Default)]
pub struct Settle;

impl<E: Event> Service<HookRequest<E>> for Settle {
    type Response = E::Outcome;
    type Error = HookError;
    type Future = Ready<Result<E::Outcome, HookError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), HookError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HookRequest<E>) -> Self::Future {
        let mut outcome = E::Outcome::default();
        E::settle(&mut outcome, &request);
        ready(Ok(outcome))
    }
}
