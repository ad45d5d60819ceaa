//! Conversion of the settings for health and for error kinds.

use super::document::{NextModelWord, ResilienceConfig, TreatmentConfig};
use super::fault::ConfigFault;
use crate::error::{ErrorKind, NextModel, SameModel, Treatment, Treatments};
use crate::health::HealthSettings;

/// Converts the health settings of `config`. Invalid rows keep their defaults.
pub(super) fn health_settings(config: &ResilienceConfig, faults: &mut Vec<ConfigFault>) -> HealthSettings {
    let mut treatments = Treatments::default();
    for (&kind, changed) in &config.treatments {
        match treatment(kind, changed) {
            Ok(treatment) => {
                treatments.cross_content_filter |= kind == ErrorKind::ContentFilter
                    && changed.next_model == Some(NextModelWord::OtherProvider);
                treatments = treatments.with(kind, treatment);
            }
            Err(text) => faults.push(ConfigFault::new(format!("treatments.{kind}"), text)),
        }
    }
    HealthSettings {
        breaker: config.breaker.clone(),
        budget: config.budget,
        burst: config.pacing.burst,
        longest_gate: config.pacing.longest_gate,
        instances: config.pacing.instances,
        treatments,
    }
}

/// Kinds that the stack itself raises; changing their treatment could create a loop.
const FIXED: [ErrorKind; 4] =
    [ErrorKind::DeadlineExceeded, ErrorKind::NoModel, ErrorKind::NestedRetry, ErrorKind::NotAdmitted];

fn treatment(kind: ErrorKind, changed: &TreatmentConfig) -> Result<Treatment, &'static str> {
    if FIXED.contains(&kind) {
        return Err("a provider cannot cause this kind, so its treatment is fixed; leave it out");
    }
    let mut treatment = Treatment::default_for(kind);
    match (changed.retries, changed.wait_at_most) {
        (Some(_), Some(_)) => {
            return Err("`retries` and `wait_at_most` exclude each other; keep one of them");
        }
        (Some(0), None) => treatment.same_model = SameModel::No,
        (Some(retries), None) => treatment.same_model = SameModel::Backoff(retries),
        (None, Some(limit)) => treatment.same_model = SameModel::AsTold(limit),
        (None, None) => {}
    }
    if kind == ErrorKind::ContextOverflow && treatment.same_model != SameModel::Compacted {
        return Err("the same conversation would not fit again; leave `retries` and `wait_at_most` out");
    }
    if let Some(next) = changed.next_model {
        treatment.next_model = match next {
            // The request goes to one other provider, and not from provider to provider until one accepts it.
            NextModelWord::OtherProvider if kind == ErrorKind::ContentFilter => NextModel::IfAllowed,
            NextModelWord::Any if kind == ErrorKind::ContentFilter => {
                return Err("a refusal is carried to one other provider at most; write `other_provider`");
            }
            NextModelWord::Nobody => NextModel::No,
            NextModelWord::Any => NextModel::Any,
            NextModelWord::OtherProvider => NextModel::OtherProvider,
            NextModelWord::LargerWindow => NextModel::LargerWindow,
        };
    }
    treatment.breaker = changed.breaker.unwrap_or(treatment.breaker);
    treatment.gate = changed.gate.unwrap_or(treatment.gate);
    treatment.alert = changed.alert.unwrap_or(treatment.alert);
    Ok(treatment)
}
