//! Decides whether and when the same model is called again.

use std::time::Duration;

use hooks_core::time::Tick;

use super::config::RetryConfig;
use crate::call::Call;
use crate::error::{LONGEST_TOLD, ModelError, SameModel};
use crate::health::Health;

/// The decision after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// Return the error, with the time from which the same model may be called, if known.
    Up(Option<Tick>),
    /// Call the same model again at this time.
    At(Tick),
}

/// Most retries with a rate-limited model that states no wait: as many as the providers' own clients make.
const UNTOLD: u32 = 2;

/// The decision at `now` after the `attempts`th failure of the call's model.
pub(super) fn again(
    call: &Call,
    error: &ModelError,
    attempts: u32,
    health: &Health,
    settings: &RetryConfig,
    now: Tick,
) -> Again {
    let pause = || settings.backoff.pause(attempts, health.world());
    let same_model = health.treatments().for_kind(error.kind()).same_model;
    let longest = match same_model {
        SameModel::No | SameModel::Compacted => return Again::Up(None),
        SameModel::Backoff(_) => LONGEST_TOLD,
        SameModel::AsTold(longest) => longest,
    };
    let told = error.retry_after();
    // A long wait is left to the chain, which can use another model or park the call.
    if let Some(told) = told.filter(|told| *told > longest) {
        return Again::Up(Some(now.after(told)));
    }
    let (most, wait) = match (same_model, told) {
        (SameModel::Backoff(more), told) => (more, told.unwrap_or_default().saturating_add(pause())),
        // Jitter is added after the stated wait, never before its end.
        (_, Some(told)) => (u32::MAX, told.saturating_add(brief(pause(), told, settings))),
        (_, None) => (UNTOLD, settings.backoff.base.saturating_add(pause())),
    };
    let proposal = error.proposal();
    // If hooks propose another model, the chain above calls it.
    let elsewhere =
        proposal.and_then(|it| it.fallback_model.as_deref()).is_some_and(|it| it != call.model_name());
    let refused = error.forbids_retry() || (elsewhere && call.turn > 0) || call.has_effects();
    if attempts > most || attempts >= settings.max_attempts || refused {
        return Again::Up(None);
    }
    let least = proposal.and_then(|it| it.backoff_ms).map(Duration::from_millis).unwrap_or_default();
    let at = now.after(wait.max(least));
    let too_late = call.latest().is_some_and(|latest| at > latest);
    let is_refused = || call.model.as_ref().is_some_and(|model| !health.another_attempt(model, now));
    if too_late || is_refused() { Again::Up(Some(at)) } else { Again::At(at) }
}

/// The jitter after a stated wait: at most the first pause, and at most the wait itself (but up to 100 ms).
fn brief(pause: Duration, told: Duration, settings: &RetryConfig) -> Duration {
    pause.min(settings.backoff.base).min(told.max(Duration::from_millis(100)))
}
