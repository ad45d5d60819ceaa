//! What a policy says: a strength, and reasons for it.
//!
//! Law 1: deny > ask > allow > no opinion. Strength absorbs; reasons append in order; the first reason of
//! the winning strength is the one shown.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// How strongly a hook answers. The order of the variants is the law of merging.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// Nothing to say; the neutral element of merging.
    #[default]
    NoOpinion,
    /// It may happen.
    Allow,
    /// A person decides.
    Ask,
    /// It must not happen. Nothing that comes later changes that.
    Deny,
}

impl Strength {
    /// Its name in JSON, records and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoOpinion => "no_opinion",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOpinion => "no opinion",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// Whether a rule decided or something broke.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonKind {
    /// A rule decided.
    #[default]
    Policy,
    /// A hook errored, panicked, timed out or answered rubbish, and fails closed (law 3).
    Failure,
}

/// What a decision rests on, for `explain` and the audit log (law 5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Evidence {
    /// A part of an argument's text, in bytes.
    Span {
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
        /// The text itself.
        text: String,
    },
    /// A path as given and as resolved.
    Path {
        /// As the argument has it.
        given: String,
        /// After `.`, `..`, links and encodings were dealt with.
        resolved: String,
    },
    /// A command as the shell would start it.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
    },
    /// A counter against its limit.
    Count {
        /// How many were used.
        used: u64,
        /// How many are allowed.
        limit: u64,
    },
}

/// Why a hook answered as it did: which policy, which rule, on which argument, with which evidence, and
/// what would change the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Reason {
    /// The strength this reason argues for; set by the verdict it is given to.
    pub strength: Strength,
    /// The policy's name.
    pub policy: Cow<'static, str>,
    /// The rule within the policy.
    pub rule: Cow<'static, str>,
    /// What a person, or the model, reads.
    pub message: String,
    /// Whether a rule decided or something broke.
    #[serde(default)]
    pub kind: ReasonKind,
    /// The argument it is about, as a JSON pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// What the decision rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What would change the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Reason {
    /// A reason of `policy`, by `rule`, as `message` says it.
    pub fn new(
        policy: impl Into<Cow<'static, str>>,
        rule: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            strength: Strength::NoOpinion,
            policy: policy.into(),
            rule: rule.into(),
            message: message.into(),
            kind: ReasonKind::Policy,
            argument: None,
            evidence: Vec::new(),
            remedy: None,
        }
    }

    /// A reason that says a hook failed (kind `failure`).
    pub fn failure(policy: impl Into<Cow<'static, str>>, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message = format!("{message}: {cause}");
            source = cause.source();
        }
        Self { kind: ReasonKind::Failure, ..Self::new(policy, "failure", message) }
    }

    /// Names the argument, as a JSON pointer.
    #[must_use]
    pub fn on(mut self, argument: impl Into<String>) -> Self {
        self.argument = Some(argument.into());
        self
    }

    /// Adds evidence.
    #[must_use]
    pub fn because(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    /// Says what would change the answer.
    #[must_use]
    pub fn unless(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// Reasons in order; one word wide while there are none, so that an allow costs nothing.
#[derive(Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::box_collection,
    reason = "a verdict is returned by every policy of every call; most have no reason"
)]
pub struct Reasons(Option<Box<Vec<Reason>>>);

impl Reasons {
    /// The reasons as a slice.
    pub fn as_slice(&self) -> &[Reason] {
        self.0.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Adds one at the end.
    pub fn push(&mut self, reason: Reason) {
        self.0.get_or_insert_default().push(reason);
    }

    /// Adds those of `later` at the end.
    pub fn append(&mut self, later: Self) {
        match (&mut self.0, later.0) {
            (_, None) => {}
            (mine @ None, theirs) => *mine = theirs,
            (Some(mine), Some(mut theirs)) => mine.append(&mut theirs),
        }
    }

    /// The first reason that argues for `strength`: the one to show.
    pub fn first_of(&self, strength: Strength) -> Option<&Reason> {
        self.as_slice().iter().find(|reason| reason.strength == strength)
    }

    /// Keeps what `keep` says.
    pub fn retain(&mut self, keep: impl FnMut(&Reason) -> bool) {
        if let Some(reasons) = &mut self.0 {
            reasons.retain(keep);
        }
        // None left is none, also to `==`.
        self.0.take_if(|reasons| reasons.is_empty());
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }
}

impl fmt::Debug for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl FromIterator<Reason> for Reasons {
    fn from_iter<I: IntoIterator<Item = Reason>>(reasons: I) -> Self {
        let mut all = Self::default();
        reasons.into_iter().for_each(|reason| all.push(reason));
        all
    }
}

/// What a policy answers: a strength and the reasons for it. Two words wide.
///
/// A deny and an ask always carry a reason. Verdicts form a monoid under [`Verdict::merge`] with
/// [`Verdict::NO_OPINION`] as its neutral element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    strength: Strength,
    reasons: Reasons,
}

impl Verdict {
    /// Nothing to say.
    pub const NO_OPINION: Self = Self { strength: Strength::NoOpinion, reasons: Reasons(None) };
    /// It may happen, without a reason.
    pub const ALLOW: Self = Self { strength: Strength::Allow, reasons: Reasons(None) };

    /// It may happen, and why.
    pub fn allow(reason: Reason) -> Self {
        Self::with(Strength::Allow, reason)
    }

    /// A person decides.
    pub fn ask(reason: Reason) -> Self {
        Self::with(Strength::Ask, reason)
    }

    /// It must not happen.
    pub fn deny(reason: Reason) -> Self {
        Self::with(Strength::Deny, reason)
    }

    /// The denial of a policy that could not judge (law 3).
    pub fn failed(policy: impl Into<Cow<'static, str>>, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::deny(Reason::failure(policy, error))
    }

    /// What is left of a policy that could not judge, where failures open: a note of it.
    pub(crate) fn passed_over(reason: Reason) -> Self {
        Self::with(Strength::NoOpinion, reason)
    }

    fn with(strength: Strength, mut reason: Reason) -> Self {
        reason.strength = strength;
        let mut reasons = Reasons::default();
        reasons.push(reason);
        Self { strength, reasons }
    }

    /// How strong it is.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// Why, in order.
    pub fn reasons(&self) -> &[Reason] {
        self.reasons.as_slice()
    }

    /// Whether it says nothing at all: no opinion, no reason.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        self.strength == Strength::NoOpinion && self.reasons.is_empty()
    }

    /// Whether nothing that comes later changes the strength.
    pub fn is_final(&self) -> bool {
        self.strength == Strength::Deny
    }

    /// The stronger of both strengths, the reasons of both.
    #[inline]
    pub fn merge(&mut self, later: Self) {
        self.strength = self.strength.max(later.strength);
        self.reasons.append(later.reasons);
    }

    /// What is left of it once the event was rewritten after it was given: deny and ask stand, an allow
    /// was for other arguments and is dropped (law 2).
    pub fn stale(self) -> Self {
        if self.strength == Strength::Allow { Self::NO_OPINION } else { self }
    }

    /// Drops the reasons that `earlier` gives too.
    pub(crate) fn forget_reasons_of(&mut self, earlier: &Self) {
        self.reasons.retain(|reason| !earlier.reasons().contains(reason));
    }

    pub(crate) fn into_parts(self) -> (Strength, Reasons) {
        (self.strength, self.reasons)
    }
}
