//! Helpers of the law tests: policies with a fixed verdict, and an executor without a runtime or a clock.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hooks_core::event::PreToolUse;
use hooks_core::{
    BoxHook, Event, FailureLayer, HookContext, HookRequest, Judged, Policy, Reason, Strength, Verdict,
};
use serde_json::json;

/// Runs `future` to its end. A future that is pending must wake itself, because no time passes here.
pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..10_000 {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
    }
    panic!("the future was never ready");
}

/// Polls `future` this many times, then drops it. Returns its output if it was ready by then.
pub(crate) fn drop_after<T>(polls: usize, future: impl Future<Output = T>) -> Option<T> {
    let mut future = Box::pin(future);
    let mut cx = Context::from_waker(Waker::noop());
    for _ in 0..polls {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return Some(value);
        }
    }
    None
}

/// Stays pending this many times, and wakes itself.
pub(crate) async fn pend(times: usize) {
    let mut left = times;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A verdict of one strength, with one reason unless it is no opinion.
pub(crate) fn verdict(strength: Strength, policy: &str, message: &str) -> Verdict {
    let reason = Reason::new(policy.to_owned(), "test", message);
    match strength {
        Strength::NoOpinion => Verdict::NO_OPINION,
        Strength::Allow => Verdict::allow(reason),
        Strength::Ask => Verdict::ask(reason),
        Strength::Deny => Verdict::deny(reason),
    }
}

/// A policy that always returns the same verdict.
#[derive(Clone, Debug)]
pub(crate) struct Says {
    pub(crate) name: String,
    pub(crate) strength: Strength,
}

impl Says {
    pub(crate) fn new(name: impl Into<String>, strength: Strength) -> Arc<Self> {
        Arc::new(Self { name: name.into(), strength })
    }
}

impl<E: Event> Policy<E> for Says {
    fn name(&self) -> &str {
        &self.name
    }

    fn judge(&self, _request: &HookRequest<E>) -> Verdict {
        verdict(self.strength, &self.name, "so it was told")
    }
}

/// A policy that denies arguments whose `path` contains a text.
#[derive(Clone, Debug)]
pub(crate) struct Forbids(pub(crate) &'static str);

impl Policy<PreToolUse> for Forbids {
    fn name(&self) -> &'static str {
        "forbids"
    }

    fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
        if path(request).contains(self.0) {
            verdict(Strength::Deny, "forbids", "the path holds a forbidden text")
        } else {
            Verdict::NO_OPINION
        }
    }
}

pub(crate) fn path(request: &HookRequest<PreToolUse>) -> &str {
    request.event().tool_args["path"].as_str().unwrap_or_default()
}

pub(crate) fn call(path: &str) -> PreToolUse {
    PreToolUse::new("edit", json!({ "path": path }))
}

pub(crate) fn asking(path: &str) -> HookRequest<PreToolUse> {
    HookRequest::new(HookContext::new("s1", "agent"), call(path))
}

pub(crate) fn guard() -> FailureLayer {
    FailureLayer::new("stack")
}

pub(crate) fn boxed<E: Event, S>(stack: S) -> BoxHook<E>
where
    S: hooks_core::Hook<E, Future: Send> + Clone + Send + Sync + 'static,
{
    BoxHook::new(stack, &guard())
}

/// The parts of an answer to compare: strength, and reasons without regard to order.
pub(crate) fn strength_and_reasons<E: Event<Outcome: Judged<E>>>(
    outcome: &E::Outcome,
) -> (Strength, Vec<String>) {
    let mut reasons: Vec<_> =
        outcome.reasons().iter().map(|reason| format!("{} {}", reason.strength, reason.policy)).collect();
    reasons.sort();
    (outcome.strength(), reasons)
}
