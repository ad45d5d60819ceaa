//! What it means when a hook fails (law 3): an error, a panic, a missed deadline.
//!
//! A failing decider is a denial of kind `failure`; a failing observer or context hook is passed over. Either
//! way it is recorded. [`FailureLayer`] is the one place that turns errors into outcomes.

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

/// Hears of every hook that failed, whether that closed or opened.
pub trait FailureSink: Send + Sync {
    /// A hook on `event` failed, as `reason` says.
    fn record(&self, context: &HookContext, event: EventKind, reason: &Reason);
}

/// Leaves the record to the `tracing` feature alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unrecorded;

impl FailureSink for Unrecorded {
    fn record(&self, _context: &HookContext, _event: EventKind, _reason: &Reason) {}
}

/// Asks something that may panic, at once or while it is polled; `failed` says what that means.
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

/// Records a failure. A sink that panics is passed over: what failed has been dealt with, and a driver may be recording
/// while it unwinds.
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

/// Records a failure and says what it means: a denial where the event's failures close, unless `opened`.
pub(crate) fn failed<E: Event>(context: &HookContext, reason: Reason, opened: bool) -> E::Outcome {
    record(context, E::KIND, &reason);
    E::Outcome::failed(reason, E::KIND.on_failure() == OnFailure::Closes && !opened)
}
