//! Whether the same model is asked again, and when.

use std::time::Duration;

use hooks_core::time::Tick;

use super::settings::RetrySettings;
use crate::call::Call;
use crate::error::{ModelError, SameModel};
use crate::health::Health;

/// What is done after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// The error goes up; the same model may be asked then, where that is known.
    Up(Option<Tick>),
    /// The same model is asked then.
    At(Tick),
}

/// How often a model is asked again that is out of breath and does not say for how long.
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
    let told = error.told_to_wait();
    let (most, wait) = match health.treatments().of(error.kind()).same_model {
        SameModel::No | SameModel::Compacted => return Again::Up(None),
        SameModel::Backoff(more) => (more, told.unwrap_or_default().saturating_add(pause())),
        SameModel::AsTold(longest) => match told {
            Some(told) if told > longest => return Again::Up(Some(now.after(told))),
            // Jitter after the time that was given, never before.
            Some(told) => (u32::MAX, told.saturating_add(brief(pause(), told, settings))),
            None => (UNTOLD, settings.backoff.base.saturating_add(pause())),
        },
    };
    if attempts > most || attempts >= settings.max_attempts || call.has_effects() {
        return Again::Up(None);
    }
    let at = now.after(wait);
    let too_late = [call.deadline, call.elsewhere].into_iter().flatten().any(|limit| at > limit);
    let is_refused = || call.model.as_ref().is_some_and(|model| !health.another_attempt(model, now));
    if too_late || is_refused() { Again::Up(Some(at)) } else { Again::At(at) }
}

/// What is added to a time that was told: no more than the first pause may be, or than was told.
fn brief(pause: Duration, told: Duration, settings: &RetrySettings) -> Duration {
    pause.min(settings.backoff.base).min(told.max(Duration::from_millis(100)))
}
