//! Whether the same model is asked again, and when.

use std::time::Duration;

use hooks_core::time::Tick;

use super::settings::RetrySettings;
use crate::call::Call;
use crate::error::{LONGEST_TOLD, ModelError, SameModel};
use crate::health::Health;

/// What is done after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// The error goes up; the same model may be asked then, where that is known.
    Up(Option<Tick>),
    /// The same model is asked then.
    At(Tick),
}

/// How often a model is asked again that is out of breath and does not say for how long: as often as the providers' own
/// clients do.
const UNTOLD: u32 = 2;

/// What is done at `now` after the `attempts`th failure of the call's model.
pub(super) fn again(
    call: &Call,
    error: &ModelError,
    attempts: u32,
    health: &Health,
    settings: &RetrySettings,
    now: Tick,
) -> Again {
    let pause = || settings.backoff.pause(attempts, health.world());
    let same_model = health.treatments().of(error.kind()).same_model;
    let longest = match same_model {
        SameModel::No | SameModel::Compacted => return Again::Up(None),
        SameModel::Backoff(_) => LONGEST_TOLD,
        SameModel::AsTold(longest) => longest,
    };
    let told = error.retry_after();
    // A long wait is for a chain to spend elsewhere, or to park through.
    if let Some(told) = told.filter(|told| *told > longest) {
        return Again::Up(Some(now.after(told)));
    }
    let (most, wait) = match (same_model, told) {
        (SameModel::Backoff(more), told) => (more, told.unwrap_or_default().saturating_add(pause())),
        // Jitter after the time that was given, never before.
        (_, Some(told)) => (u32::MAX, told.saturating_add(brief(pause(), told, settings))),
        (_, None) => (UNTOLD, settings.backoff.base.saturating_add(pause())),
    };
    let proposal = error.proposal();
    // Hooks that want another model asked are heard by the chain above.
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

/// What is added to a time that was told: no more than the first pause may be, or than was told.
fn brief(pause: Duration, told: Duration, settings: &RetrySettings) -> Duration {
    pause.min(settings.backoff.base).min(told.max(Duration::from_millis(100)))
}
