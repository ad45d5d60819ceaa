//! A closure as a policy.

use std::borrow::Cow;
use std::fmt;

use super::Policy;
use crate::event::Event;
use crate::request::HookRequest;
use crate::verdict::Verdict;

/// Makes a policy of a closure.
///
/// ```
/// use hooks_core::{HookRequest, Reason, Verdict, event::PreToolUse, policy_fn};
///
/// let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
///     "bash" => Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell")),
///     _ => Verdict::NO_OPINION,
/// });
/// ```
///
/// ```
/// # use hooks_core::{HookContext, HookRequest, Policy, Strength, Verdict, event::PreToolUse, policy_fn};
/// let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
/// let call = PreToolUse::new("view", serde_json::json!({}));
/// let request = HookRequest::new(HookContext::new("session-1", "backend"), call);
/// assert_eq!(allow.judge(&request).strength(), Strength::Allow);
/// ```
pub fn policy_fn<E, F>(name: impl Into<Cow<'static, str>>, judge: F) -> PolicyFn<F>
where
    E: Event,
    F: Fn(&HookRequest<E>) -> Verdict + Send + Sync,
{
    PolicyFn { name: name.into(), judge }
}

/// A closure as a policy; see [`policy_fn`].
#[derive(Clone)]
pub struct PolicyFn<F> {
    name: Cow<'static, str>,
    judge: F,
}

impl<E, F> Policy<E> for PolicyFn<F>
where
    E: Event,
    F: Fn(&HookRequest<E>) -> Verdict + Send + Sync,
{
    fn name(&self) -> &str {
        &self.name
    }

    fn judge(&self, request: &HookRequest<E>) -> Verdict {
        (self.judge)(request)
    }
}

impl<F> fmt::Debug for PolicyFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyFn").field("name", &self.name).finish_non_exhaustive()
    }
}
