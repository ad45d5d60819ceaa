//! Hooks in the shadow: they judge every event, and their opinion is a note. It changes no answer.
//!
//! [`Shadow`] is its duration. [`ShadowLayer`] puts all layers behind it in the shadow, [`Shadowed`] is one policy,
//! limit or service there, and [`HooksBuilder::add_in_shadow`](crate::HooksBuilder::add_in_shadow) does it for a whole
//! set. The reasons of a hook in the shadow are kept: each has in [`Reason::would`](crate::Reason::would) what it would
//! have answered, for records, metrics and `explain`.
//!
//! A hook in the shadow that fails would have denied; that is noted as well. A limit in the shadow counts as it would
//! if it were enforced: what it would have refused goes ahead, and is not counted. Rewrites are no opinions: they stay.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookRequest, Judged, PolicyLayer, Reason, Settle, Strength, Verdict, policy_fn};
//! use hooks_core::{Shadow, ShadowLayer};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! let no_shell = policy_fn("no-shell", |request: &HookRequest<PreToolUse>| match &*request.event().tool_name {
//!     "bash" => Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell")),
//!     _ => Verdict::NO_OPINION,
//! });
//! let stack = ServiceBuilder::new()
//!     .layer(ShadowLayer::new(Shadow::default())) // all that follows
//!     .layer(PolicyLayer::new(no_shell))
//!     .service(Settle);
//! # futures_util::FutureExt::now_or_never(async {
//! let call = PreToolUse::new("bash", serde_json::json!({"command": "ls"}));
//! let outcome = stack.oneshot(HookRequest::new(HookContext::new("s", "backend"), call)).await.expect("an answer");
//! assert_eq!(outcome.strength(), Strength::NoOpinion);
//! assert_eq!(outcome.reasons()[0].would, Some(Strength::Deny));
//! # }).expect("no hook waits");
//! ```
//!
//! Customised: one policy of several, until a day. From then on it is enforced.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::time::{StoppedClock, Timestamp};
//! use hooks_core::{Environment, HookContext, HookRequest, Policy, Reason, Shadow, Shadowed, Strength, Verdict, policy_fn};
//!
//! let no_shell = policy_fn("no-shell", |_: &HookRequest<PreToolUse>| {
//!     Verdict::deny(Reason::new("no-shell", "tool", "this agent has no shell"))
//! });
//! let december = Timestamp::of_date(2026, 12, 1).expect("a date");
//! let tried = Shadowed::new(no_shell, Shadow::until(december));
//! let judge = |now| {
//!     let clock = std::sync::Arc::new(StoppedClock(now));
//!     let context = HookContext::new("s", "backend").with_environment(Environment { clock, ..Environment::detached() });
//!     tried.judge(&HookRequest::new(context, PreToolUse::new("bash", serde_json::json!({})))).strength()
//! };
//! assert_eq!(judge(Timestamp::of_date(2026, 11, 30).expect("a date")), Strength::NoOpinion);
//! assert_eq!(judge(december), Strength::Deny);
//! ```

mod add;
pub mod future;
mod hooks;
mod layer;

pub use self::hooks::Shadowed;
pub use self::layer::ShadowLayer;

use crate::context::HookContext;
use crate::time::Timestamp;

/// Time until which hooks stay in the shadow; without an end by default.
///
/// The time of an event decides, not that of the machine, so that a decision can be taken again later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shadow {
    until: Option<Timestamp>,
}

impl Shadow {
    /// A shadow that ends at `end`; from then on the hooks are enforced.
    pub const fn until(end: Timestamp) -> Self {
        Self { until: Some(end) }
    }

    /// Time at which the hooks are enforced.
    pub const fn end(self) -> Option<Timestamp> {
        self.until
    }

    /// Whether an event with this context is judged in the shadow. An event without a time, which is 1970, is not once
    /// there is an end.
    ///
    /// ```
    /// use hooks_core::time::Timestamp;
    /// use hooks_core::{HookContext, Shadow};
    ///
    /// let mut context = HookContext::new("s", "backend");
    /// assert!(Shadow::default().covers(&context) && !Shadow::until(Timestamp(10)).covers(&context));
    /// context.timestamp = Timestamp(9);
    /// assert!(Shadow::until(Timestamp(10)).covers(&context));
    /// ```
    pub fn covers(self, context: &HookContext) -> bool {
        let now = context.timestamp;
        self.until.is_none_or(|end| now > Timestamp(0) && now < end)
    }
}
