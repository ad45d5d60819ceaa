//! The recorded parts of an outcome.

use hooks_core::{ContextPatch, Event, Judged, Reason, ReasonKind, Recovery, Strength};
use serde_json::Value;

use crate::record::{Record, WouldHave};

/// The recorded parts of an outcome: the strength of a decision, and the reasons. An allow without reasons
/// costs no allocation.
///
/// ```
/// use hooks_audit::describe::Described;
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{Decision, Reason, Verdict};
///
/// let said = |verdict| PreToolUse::recorded(&Decision::from(verdict));
/// let why = Reason::new("calendar", "weekend", "no deployments at weekends");
/// // A denial and a question to the user are synced before the answer is passed on.
/// assert!(said(Verdict::deny(why.clone())).is_grave() && said(Verdict::ask(why)).is_grave());
/// assert!(!said(Verdict::ALLOW).is_grave());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedOutcome {
    strength: Option<Strength>,
    reasons: Vec<Reason>,
    /// Modes of the standing wishes in a message.
    directives: Vec<String>,
}

impl RecordedOutcome {
    /// Strength and reasons of a judgement.
    pub fn judged<E: Event>(outcome: &impl Judged<E>) -> Self {
        Self {
            strength: Some(outcome.strength()),
            reasons: outcome.reasons().to_vec(),
            directives: Vec::new(),
        }
    }

    /// The same with the standing wishes that were found in a message.
    #[must_use]
    pub fn finding(mut self, patch: Option<&ContextPatch>) -> Self {
        let found = patch.into_iter().flat_map(|patch| &patch.directives);
        self.directives = found.map(|directive| directive.mode.clone()).collect();
        self
    }

    /// Failures while a context was extended.
    pub fn added(patch: &ContextPatch) -> Self {
        Self { reasons: patch.failures.clone(), ..Self::default() }
    }

    /// Reasons of a proposal after a failure.
    pub fn proposed(recovery: &Recovery) -> Self {
        Self { reasons: recovery.reasons.clone(), ..Self::default() }
    }

    /// Whether the outcome must be synced before anything else happens: a denial, or a question to the user.
    pub fn is_grave(&self) -> bool {
        self.strength >= Some(Strength::Ask)
    }

    /// Fills in the deciding policy and rule; returns all reasons, for the payload.
    pub(super) fn describe(self, record: &mut Record) -> Vec<Value> {
        record.outcome = record.outcome.or(self.strength);
        record.directives = self.directives;
        record.would = WouldHave::noted_in(&self.reasons);
        let deciding = || self.reasons.iter().filter(|reason| reason.would.is_none());
        let of_strength = deciding().find(|reason| Some(reason.strength) == self.strength);
        if let Some(reason) = of_strength.or_else(|| deciding().next()) {
            record.policy = Some(reason.policy.clone().into_owned());
            record.rule = Some(reason.rule.clone().into_owned());
        }
        record.failed |= self.reasons.iter().any(|reason| reason.kind == ReasonKind::Failure);
        self.reasons.iter().filter_map(|reason| serde_json::to_value(reason).ok()).collect()
    }
}
