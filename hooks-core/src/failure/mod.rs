//! Failures of hooks and their meaning (law 3): an error, a panic, a missed deadline.
//!
//! If a hook that decides fails, the event is denied, with a reason of kind `failure`. If an observer or a
//! context hook fails, it is passed over. Every failure is recorded. [`FailureLayer`] is the one layer that
//! turns errors into outcomes.
//!
//! ```
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{FailureLayer, HookContext, HookError, HookRequest, Judged, ReasonKind, hook_fn};
//! use tower::{Layer, ServiceExt};
//!
//! let broken = hook_fn(|_: HookRequest<PreToolUse>| async { Err(HookError::unavailable("no route to host")) });
//! let call = || HookRequest::new(HookContext::new("s", "backend"), PreToolUse::new("bash", serde_json::json!({})));
//!
//! # futures_util::FutureExt::now_or_never(async {
//! // By default, a failure denies a tool call.
//! let denied = FailureLayer::new("remote").layer(broken.clone()).oneshot(call()).await.expect("an outcome");
//! let reason = denied.shown_reason().expect("a denial has a reason");
//! assert!(denied.is_denied() && reason.kind == ReasonKind::Failure);
//! assert_eq!(reason.message, "the hook is not available: no route to host");
//!
//! // A hook whose failures are passed over: no opinion, but the reason is still there.
//! let passed = FailureLayer::new("remote").opened().layer(broken).oneshot(call()).await.expect("an outcome");
//! assert!(!passed.is_denied());
//! assert_eq!(passed.reasons().len(), 1);
//! # }).expect("no hook waits");
//! ```
//!
//! Customised: a panic of a hook is a failure too. The layer catches it, and the sink of the environment records it:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use hooks_core::event::PreToolUse;
//! use hooks_core::{
//!     Environment, EventKind, FailureLayer, FailureSink, HookContext, HookError, HookRequest, Judged, Reason, hook_fn,
//! };
//! use tower::{Layer, ServiceExt};
//!
//! #[derive(Default)]
//! struct Names(Mutex<Vec<String>>);
//!
//! impl FailureSink for Names {
//!     fn record(&self, _: &HookContext, event: EventKind, reason: &Reason) {
//!         self.0.lock().expect("no panic").push(format!("{event}: {}", reason.policy));
//!     }
//! }
//!
//! async fn broken(_: HookRequest<PreToolUse>) -> Result<hooks_core::Decision<PreToolUse>, HookError> {
//!     panic!("a defect of a hook")
//! }
//!
//! # futures_util::FutureExt::now_or_never(async {
//! let names = Arc::new(Names::default());
//! let environment = Environment { failures: names.clone(), ..Environment::detached() };
//! let context = HookContext::new("s", "backend").with_environment(environment);
//! let call = HookRequest::new(context, PreToolUse::new("bash", serde_json::json!({})));
//! let denied = FailureLayer::new("remote").layer(hook_fn(broken)).oneshot(call).await.expect("an outcome");
//! assert!(denied.is_denied());
//! assert_eq!(*names.0.lock().expect("no panic"), ["pre_tool_use: remote"]);
//! # }).expect("no hook waits");
//! ```

pub mod future;
mod layer;
mod service;

pub use self::layer::FailureLayer;
pub use self::service::FailureService;

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt;

use crate::context::HookContext;
use crate::error::HookError;
use crate::event::{Event, EventKind, OnFailure};
use crate::future::HookFuture;
use crate::outcome::Outcome;
use crate::verdict::Reason;

/// Receives a record of every hook that failed, whether the failure was a denial or was passed over.
///
/// ```
/// use std::sync::Mutex;
/// use hooks_core::{EventKind, FailureSink, HookContext, HookError, Reason};
///
/// #[derive(Default)]
/// struct Names(Mutex<Vec<String>>);
///
/// impl FailureSink for Names {
///     fn record(&self, _context: &HookContext, event: EventKind, reason: &Reason) {
///         self.0.lock().expect("no panic").push(format!("{event}: {}", reason.policy));
///     }
/// }
///
/// let sink = Names::default();
/// let reason = Reason::failure("remote", &HookError::unavailable("no route"));
/// sink.record(&HookContext::default(), EventKind::PreToolUse, &reason);
/// assert_eq!(*sink.0.lock().expect("no panic"), ["pre_tool_use: remote"]);
/// ```
pub trait FailureSink: Send + Sync {
    /// Records that a hook failed on `event`, for `reason`.
    fn record(&self, context: &HookContext, event: EventKind, reason: &Reason);
}

/// A sink that drops the record; the `tracing` feature still reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unrecorded;

impl FailureSink for Unrecorded {
    fn record(&self, _context: &HookContext, _event: EventKind, _reason: &Reason) {}
}

/// Asks a hook that may panic, at once or while it is polled; `failed` turns the panic into an answer.
pub(crate) fn guarded<'a, T: 'a>(
    ask: impl FnOnce() -> HookFuture<'a, T>,
    failed: impl FnOnce(HookError) -> T + Send + 'a,
) -> HookFuture<'a, T> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(HookFuture::Now(value)) => HookFuture::Now(value),
        Ok(HookFuture::Later(future)) => HookFuture::later(
            AssertUnwindSafe(future)
                .catch_unwind()
                .map(|answer| answer.unwrap_or_else(|panic| failed(HookError::from_panic(&*panic)))),
        ),
        Err(panic) => HookFuture::now(failed(HookError::from_panic(&*panic))),
    }
}

/// Records a failure. A panic of the sink is ignored: the failure itself has been handled, and a driver may
/// call this during an unwind.
pub(crate) fn record(context: &HookContext, event: EventKind, reason: &Reason) {
    #[cfg(feature = "tracing")]
    tracing::error!(
        event = event.name(),
        hook = &*reason.policy,
        session = context.session_id,
        "a hook failed: {}",
        reason.message
    );
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        context.environment.failures.record(context, event, reason);
    }));
    drop(recorded);
}

/// Records a failure and returns its outcome: a denial if failures of the event close, unless `opened`.
pub(crate) fn failed<E: Event>(context: &HookContext, reason: Reason, opened: bool) -> E::Outcome {
    record(context, E::KIND, &reason);
    E::Outcome::failed(reason, E::KIND.on_failure() == OnFailure::Closes && !opened)
}
