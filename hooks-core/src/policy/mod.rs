//! Policies: pure judgement of an event, by reference.
//!
//! A [`Policy`] is the easy way into a stack: it neither rewrites, counts nor waits. [`PolicyLayer`] lifts it
//! to a tower layer, [`Judge`](crate::Judge) to the innermost service, a [`Hooks`](crate::Hooks) slot takes it
//! as it is. A tuple, slice or `Vec` of policies is a policy; all of them judge by strength (law 1), so their
//! order never changes whether something is denied.
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
/// Pure: the same request gets the same verdict, whenever and however often it is asked. A policy that has
/// nothing to say answers [`Verdict::NO_OPINION`]; one that cannot tell denies (law 4). A panic is a denial
/// of kind `failure` wherever the policy stands in a [`Hooks`](crate::Hooks) or below a
/// [`FailureLayer`](crate::FailureLayer).
pub trait Policy<E: Event>: Send + Sync {
    /// Its name, as its reasons give it.
    fn name(&self) -> &str;

    /// Judges the event.
    fn judge(&self, request: &HookRequest<E>) -> Verdict;

    /// Shows each single policy in it: itself, unless it is a set of others. For `explain` and for
    /// measuring what each costs.
    fn each(&self, see: &mut dyn FnMut(Single<'_, E>)) {
        see(Single { name: self.name(), judge: &|request| self.judge(request) });
    }
}

/// One policy of a set.
#[derive(Clone, Copy)]
pub struct Single<'a, E: Event> {
    /// Its name.
    pub name: &'a str,
    judge: &'a dyn Fn(&HookRequest<E>) -> Verdict,
}

impl<E: Event> Single<'_, E> {
    /// What it alone says.
    pub fn judge(&self, request: &HookRequest<E>) -> Verdict {
        (self.judge)(request)
    }
}

impl<E: Event> std::fmt::Debug for Single<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Single").field("name", &self.name).finish_non_exhaustive()
    }
}
