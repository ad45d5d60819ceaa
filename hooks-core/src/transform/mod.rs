//! Transforms: hooks that rewrite an event before it is judged, and never decide.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookError, HookRequest, Judged, Settle, Transform, TransformLayer};
//! use serde_json::{Value, json};
//! use tower::{ServiceBuilder, ServiceExt};
//!
//! /// Gives each command a time limit.
//! #[derive(Clone)]
//! struct Limited(u64);
//!
//! impl Transform<PreToolUse> for Limited {
//!     fn name(&self) -> &str {
//!         "limited"
//!     }
//!
//!     fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
//!         let mut args = request.event().tool_args.clone();
//!         let Some(fields) = args.as_object_mut() else { return Err(HookError::bad_answer("no arguments")) };
//!         fields.insert("timeout".to_owned(), self.0.into());
//!         Ok(Some(args))
//!     }
//! }
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let stack = ServiceBuilder::new().layer(TransformLayer::new(Limited(30))).service(Settle);
//! let call = |args| HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", args));
//! let outcome = stack.clone().oneshot(call(json!({"command": "ls"}))).await.expect("it transforms");
//! let ran = outcome.effective().expect("the event was rewritten");
//! assert_eq!(ran.event().tool_args, json!({"command": "ls", "timeout": 30}));
//!
//! // An error of the transform denies a tool call.
//! let denied = stack.oneshot(call(json!("ls"))).await.expect("an outcome");
//! assert!(denied.is_denied());
//! assert_eq!(denied.reasons()[0].message, "the hook gave an unusable answer: no arguments");
//! # }).expect("no hook waits");
//! ```
//!
//! Customised: two transforms of a set. Each gets the arguments as the one before it left them, and the policies judge
//! the result:
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{HookContext, HookError, HookRequest, Hooks, Judged, Reason, Transform, Verdict, policy_fn};
//! use serde_json::{Value, json};
//!
//! /// Appends a word to the command.
//! struct Append(&'static str);
//!
//! impl Transform<PreToolUse> for Append {
//!     fn name(&self) -> &str {
//!         "append"
//!     }
//!
//!     fn transform(&self, request: &HookRequest<PreToolUse>) -> Result<Option<Value>, HookError> {
//!         let command = request.event().tool_args["command"].as_str();
//!         Ok(command.map(|command| json!({"command": format!("{command} {}", self.0)})))
//!     }
//! }
//!
//! let no_force = policy_fn("no-force", |request: &HookRequest<PreToolUse>| {
//!     let command = request.event().tool_args["command"].as_str().unwrap_or_default();
//!     match command.ends_with("--quiet --force") {
//!         true => Verdict::deny(Reason::new("no-force", "any", "no forced command")),
//!         false => Verdict::NO_OPINION,
//!     }
//! });
//! # futures_util::FutureExt::now_or_never(async {
//! let hooks = Hooks::builder().policy(no_force).transform(Append("--quiet")).transform(Append("--force")).build();
//! let call = PreToolUse::new("bash", json!({"command": "push"}));
//! assert!(hooks.on(HookContext::new("s", "backend")).pre_tool_use(call).await.outcome.is_denied());
//! # }).expect("no hook waits");
//! ```

pub mod future;
mod layer;
mod service;

pub use self::layer::TransformLayer;
pub use self::service::TransformService;

use crate::error::HookError;
use crate::event::Event;
use crate::request::HookRequest;

/// Rewrites an event: the arguments before a tool runs, the result after it ran, a prompt, a task.
///
/// Each transform gets the event as the transform before it left it, and runs once per event. All judgement
/// comes after it (law 2). It runs on the thread of the caller and must not block; a transform that has to
/// wait is a [`Decider`](crate::Decider).
///
/// If it returns an error, the event is denied where failures of the event close; otherwise the transform is
/// passed over and the failure is recorded. A panic has the same effect in a [`Hooks`](crate::Hooks) or below
/// a [`FailureLayer`](crate::FailureLayer).
pub trait Transform<E: Event>: Send + Sync {
    /// Name of the transform, for reports.
    fn name(&self) -> &str;

    /// Returns the change of the event, or `None` to leave it as it is.
    ///
    /// # Errors
    /// Returns an error if the transform cannot decide whether the event needs a change.
    fn transform(&self, request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError>;
}

impl<E: Event, T: Transform<E> + ?Sized> Transform<E> for std::sync::Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn transform(&self, request: &HookRequest<E>) -> Result<Option<E::Rewrite>, HookError> {
        (**self).transform(request)
    }
}

/// Applies `transform` to the event of `request`, in the stages that allow rewrites.
pub(crate) fn rewrite<E: Event>(
    transform: &(impl Transform<E> + ?Sized),
    request: &mut HookRequest<E>,
) -> Result<(), HookError> {
    if let Some(rewrite) = transform.transform(request)? {
        request.rewrite(rewrite);
    }
    Ok(())
}
