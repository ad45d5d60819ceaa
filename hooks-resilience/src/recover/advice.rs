//! Advice to a host after a failure.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::event::{ErrorOccurred, ErrorType};
use hooks_core::time::Tick;
use hooks_core::{HookContext, Reason, Recovery};

use super::text::read_text;
use crate::call::Needs;
use crate::catalog::Model;
use crate::chain::{Chain, Chains};
use crate::classify::Classifiers;
use crate::error::{ModelError, NextModel, SameModel};
use crate::fallback::{End, FallbackConfig, Plan, Step, View};
use crate::health::{Health, Readiness};

/// Decides what to do after a failure, from the state that the layers share. Cheap to clone.
#[derive(Clone)]
pub struct Advisor {
    chains: Chains,
    health: Health,
    settings: FallbackConfig,
    classifiers: Classifiers,
}

/// A failure as reported to a hook.
pub(super) struct Failure<'a> {
    pub(super) policy: &'static str,
    pub(super) text: &'a str,
    pub(super) error_type: ErrorType,
    pub(super) model: Option<&'a str>,
    pub(super) agent: &'a str,
    /// Number of the attempt that failed, from 1.
    pub(super) attempt: u32,
    /// Tenant whose credentials were used.
    pub(super) tenant: Option<&'a str>,
    /// Whether a stack reports the failure and handles it itself.
    pub(super) by_stack: bool,
}

/// A view for failures that a stack handles. It spends nothing of the retry budget, because the stack does.
struct Looking<'a>(&'a Health);

impl View for Looking<'_> {
    fn readiness(&self, model: &Model, needs: &Needs, now: Tick) -> Readiness {
        View::readiness(self.0, model, needs, now)
    }

    fn another_attempt(&self, _: &Model, _: Tick) -> bool {
        true
    }
}

impl Advisor {
    /// Creates an advisor. Of the settings, it uses the number of attempts, the pauses, and the longest
    /// parking.
    pub fn new(chains: Chains, health: Health, settings: FallbackConfig) -> Self {
        let classifiers = Classifiers::new(Arc::clone(&health.world().clock));
        Self { chains, health, settings, classifiers }
    }

    /// Reads errors with `classifiers`, which may have readers beyond those of the vendors.
    #[must_use]
    pub fn classifying(mut self, classifiers: Classifiers) -> Self {
        self.classifiers = classifiers;
        self
    }

    /// Whether a stack with the same health record reports the failure and handles it.
    pub(super) fn is_by_stack(&self, context: &HookContext, event: &ErrorOccurred) -> bool {
        self.health.is_told_of(context, event)
    }

    /// The advice for `failure`, from the record of its tenant.
    pub(super) fn advise(&self, failure: &Failure<'_>) -> Recovery {
        match failure.tenant {
            Some(_) => Self { health: self.health.of_tenant(failure.tenant), ..self.clone() }.judge(failure),
            None => self.judge(failure),
        }
    }

    fn judge(&self, failure: &Failure<'_>) -> Recovery {
        if failure.error_type == ErrorType::Tool {
            return Recovery::default();
        }
        let error = read_text(&self.classifiers, failure.text, failure.error_type);
        let now = self.health.world().tick();
        let mut recovery = match self.failed_chain(failure) {
            Some(chain) => self.along(&chain, failure, &error, now),
            None => self.without_blame(failure, &error),
        };
        let treatment = self.health.treatments().for_kind(error.kind());
        // The stack shortens the conversation, which does not repeat the call.
        if failure.by_stack && treatment.same_model == SameModel::Compacted {
            recovery.retry = recovery.retry.filter(|again| *again);
        }
        if treatment.alert {
            let model = failure.model.map(|model| format!("`{model}`: ")).unwrap_or_default();
            recovery.notify.push(format!("{model}{}: {}", error.kind(), error.message()));
        }
        recovery
    }

    /// The chain that begins with the failed model. `None` if the failure names no model of the catalog: with
    /// a chain, a tier or no name, the failed model is unknown, and none may be blamed.
    fn failed_chain(&self, failure: &Failure<'_>) -> Option<Chain> {
        let model = self.chains.catalog().get(failure.model?)?;
        self.chains.order(&model.name, failure.agent, None).ok()
    }

    /// The step of a stack whose first model of the chain failed like this.
    fn along(&self, chain: &Chain, failure: &Failure<'_>, error: &ModelError, now: Tick) -> Recovery {
        let treatments = self.health.treatments();
        let Some(failed) = chain.first() else { return Recovery::default() };
        let keeps_away = !failure.by_stack && treatments.for_kind(error.kind()).gate;
        if let Some(wait) = error.retry_after().filter(|_| keeps_away) {
            self.health.cool_down_until(failed, now.after(wait), error.kind());
        }
        let plan = Plan::new(chain.clone(), Needs::default(), None, &self.settings);
        let mut plan = plan.having_tried(failure.attempt.saturating_sub(1));
        plan.failed(error, treatments, now, |attempt| self.pause(attempt));
        let next = match failure.by_stack {
            true => plan.next(&Looking(&self.health), now),
            false => plan.next(&self.health, now),
        };
        let (place, at) = match next {
            Step::Try { place, .. } => (place, now),
            // A pause does not replace the retry budget.
            Step::Park { place, .. }
                if !failure.by_stack
                    && plan.attempts_of(place) > 0
                    && !self.may_try_again(chain, place, now) =>
            {
                return give_up(failure, error, "its provider was asked again as often as is good for it");
            }
            Step::Park { until, place, .. } => (place, until),
            Step::GiveUp(end) => return give_up(failure, error, words(end)),
        };
        chain.get(place).map_or_else(Recovery::default, |model| {
            again(failure, error, Some((failed, model)), at.since(now))
        })
    }

    /// The advice if the failed model is unknown: the same again, as often as is useful.
    fn without_blame(&self, failure: &Failure<'_>, error: &ModelError) -> Recovery {
        let attempt = failure.attempt.max(1);
        let told = error.retry_after();
        let treatment = self.health.treatments().for_kind(error.kind());
        let wait = match treatment.same_model {
            SameModel::Backoff(more) if attempt <= more => {
                Some(told.unwrap_or_default().max(self.pause(attempt)))
            }
            SameModel::AsTold(_) => Some(told.unwrap_or_else(|| self.pause(attempt))),
            _ => None,
        };
        // There is no other model to call, so the call may wait as long as it could be parked.
        let may_wait =
            |wait: &Duration| *wait <= self.settings.max_park && attempt < self.settings.max_attempts;
        match wait.filter(may_wait) {
            Some(wait) => again(failure, error, None, wait),
            None if treatment.next_model == NextModel::No => give_up(failure, error, words(End::Final)),
            None => give_up(
                failure,
                error,
                "the same would fail again; name the model of the catalog that failed, so that another can be asked",
            ),
        }
    }

    fn may_try_again(&self, chain: &Chain, place: usize, now: Tick) -> bool {
        chain.get(place).is_none_or(|model| self.health.another_attempt(model, now))
    }

    fn pause(&self, attempt: u32) -> Duration {
        self.settings.backoff.pause(attempt, self.health.world())
    }
}

/// Advises another attempt after `wait`, with the second of `models` if it differs from the first, which
/// failed.
fn again(
    failure: &Failure<'_>,
    error: &ModelError,
    models: Option<(&Arc<Model>, &Arc<Model>)>,
    wait: Duration,
) -> Recovery {
    let other = models.filter(|(failed, model)| failed != model).map(|(_, model)| model.name.to_string());
    let whom = other.as_deref().map_or("the same model".to_owned(), |name| format!("`{name}`"));
    // Rounds up, so that the attempt is never early.
    let millis = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
    let when = if millis == 0 { "at once".to_owned() } else { format!("after {millis} ms") };
    let text = format!("{} at attempt {}: ask {whom} {when}", error.kind(), failure.attempt.max(1));
    Recovery {
        retry: Some(true),
        fallback_model: other,
        backoff_ms: (millis > 0).then_some(millis),
        reasons: vec![Reason::new(failure.policy, error.kind().word(), text)],
        ..Recovery::default()
    }
}

fn give_up(failure: &Failure<'_>, error: &ModelError, why: &str) -> Recovery {
    let text = format!("{} at attempt {}: {why}", error.kind(), failure.attempt.max(1));
    let reason = Reason::new(failure.policy, error.kind().word(), text);
    Recovery { retry: Some(false), reasons: vec![reason], ..Recovery::default() }
}

const fn words(end: End) -> &'static str {
    match end {
        End::Final => "another model would answer the same",
        End::NoneLeft => "no model is left that could be asked",
        End::Attempts => "as many attempts were made as may be",
        End::Late(_) | End::TooFar(_) => "no model is ready as soon as one may wait",
    }
}

impl fmt::Debug for Advisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Advisor").field("settings", &self.settings).finish_non_exhaustive()
    }
}
