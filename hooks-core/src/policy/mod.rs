//! Policies: pure judgement of an event, by reference.
//!
//! A [`Policy`] is the simplest kind of hook: it never rewrites, counts or waits. There are three ways to use
//! one: [`PolicyLayer`] makes it a tower layer, [`Judge`](crate::Judge) makes it the innermost service, and a
//! slot of [`Hooks`](crate::Hooks) accepts it directly. A tuple, slice or `Vec` of policies is a policy too.
//! Their verdicts are merged by strength (law 1), so their order never changes whether an event is denied.
//!
//! ```
//! use hooks_core::{HookRequest, Policy, Reason, Verdict, event::PreToolUse};
//!
//! struct NoSecretsFolder;
//!
//! impl Policy<PreToolUse> for NoSecretsFolder {
//!     fn name(&self) -> &str {
//!         "no-secrets-folder"
//!     }
//!
//!     fn judge(&self, request: &HookRequest<PreToolUse>) -> Verdict {
//!         match request.event().tool_args["path"].as_str() {
//!             Some(path) if path.starts_with("secrets/") => {
//!                 Verdict::deny(Reason::new("no-secrets-folder", "prefix", "`secrets/` is off limits").on("/path"))
//!             }
//!             _ => Verdict::NO_OPINION,
//!         }
//!     }
//! }
//! ```
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Judge, Judged, PolicyLayer, Reason, Settle, Verdict, policy_fn};
//! use serde_json::json;
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
//!     "bash" => Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell")),
//!     _ => Verdict::NO_OPINION,
//! });
//! let allow = policy_fn("allow", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
//!
//! # futures_util::FutureExt::now_or_never(async {
//! // As a layer and as the innermost service; the denial wins in both orders.
//! let stack = ServiceBuilder::new().layer(PolicyLayer::new(allow.clone())).service(Judge::new(no_shell));
//! let call = |tool| HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new(tool, json!({})));
//! let denied = stack.clone().oneshot(call("bash")).await.expect("no hook fails");
//! assert_eq!(denied.shown_reason().expect("a denial has a reason").message, "this agent has no shell");
//! assert!(stack.oneshot(call("view")).await.expect("no hook fails").goes_ahead());
//!
//! // Without an opinion of any hook, the host decides.
//! let silent = PolicyLayer::new(());
//! let outcome = ServiceBuilder::new().layer(silent).service(Settle).oneshot(call("bash")).await;
//! assert!(outcome.expect("no hook fails").reasons().is_empty());
//! # }).expect("no hook waits");
//! ```

mod function;
pub mod future;
mod layer;
mod service;
mod set;

pub use self::function::{PolicyFn, policy_fn};
pub use self::layer::PolicyLayer;
pub use self::service::PolicyService;
pub(crate) use self::set::judge_each;

use crate::event::Event;
use crate::request::HookRequest;
use crate::verdict::Verdict;

/// Judges an event.
///
/// A policy is pure: the same request always gets the same verdict. If a policy has no opinion, it returns
/// [`Verdict::NO_OPINION`]; if it cannot decide, it denies (law 4). It runs on the thread of the caller and
/// must not block. A panic becomes a denial of kind `failure` if the policy is in a [`Hooks`](crate::Hooks)
/// or below a [`FailureLayer`](crate::FailureLayer).
pub trait Policy<E: Event>: Send + Sync {
    /// Name of the policy, as in its reasons.
    fn name(&self) -> &str;

    /// Judges the event.
    fn judge(&self, request: &HookRequest<E>) -> Verdict;

    /// Calls `see` with each single policy: with this one, or with the members if this is a set of policies.
    /// Used by `explain` and to measure the cost of each policy.
    ///
    /// ```
    /// use hooks_core::{HookRequest, Policy, Verdict, event::PreToolUse, policy_fn};
    ///
    /// let first = policy_fn("first", |_: &HookRequest<PreToolUse>| Verdict::ALLOW);
    /// let second = policy_fn("second", |_: &HookRequest<PreToolUse>| Verdict::NO_OPINION);
    /// let mut names = Vec::new();
    /// (first, second).each(&mut |single| names.push(single.name.to_owned()));
    /// assert_eq!(names, ["first", "second"]);
    /// ```
    fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
        see(Single { name: self.name(), judge: &|request| self.judge(request) });
    }
}

/// One policy of a set.
#[derive(Clone, Copy)]
pub struct Single<'a, E: Event> {
    /// Name of the policy.
    pub name: &'a str,
    judge: &'a dyn Fn(&HookRequest<E>) -> Verdict,
}

impl<'a, E: Event> Single<'a, E> {
    /// A policy with this name and judgement.
    pub(crate) const fn new(name: &'a str, judge: &'a dyn Fn(&HookRequest<E>) -> Verdict) -> Self {
        Self { name, judge }
    }

    /// Judges with this policy alone.
    pub fn judge(&self, request: &HookRequest<E>) -> Verdict {
        (self.judge)(request)
    }
}

impl<E: Event> std::fmt::Debug for Single<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Single").field("name", &self.name).finish_non_exhaustive()
    }
}
