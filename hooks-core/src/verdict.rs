//! The verdict of a policy: a strength, and the reasons for it.
//!
//! Law 1: deny > ask > allow > no opinion. When verdicts are merged, the stronger one wins and all reasons
//! are kept in order. The reason that is shown is the first one of the winning strength.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Strength of an answer. The order of the variants is the order of merging: a later variant wins.
///
/// ```
/// use hooks_core::Strength;
///
/// assert!(Strength::Deny > Strength::Ask && Strength::Ask > Strength::Allow);
/// assert_eq!(Strength::default().name(), "no_opinion");
/// assert_eq!(Strength::default().to_string(), "no opinion");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// The hook has no opinion; the neutral element of merging.
    #[default]
    NoOpinion,
    /// The event may happen.
    Allow,
    /// The user is asked and decides.
    Ask,
    /// The event must not happen. No later answer changes that.
    Deny,
}

impl Strength {
    /// Name of the strength in JSON, records and metrics.
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

/// Whether a reason comes from a rule that matched, from one that may match, or from a failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReasonKind {
    /// A rule matched.
    #[default]
    Policy,
    /// A rule may match: the call is not known well enough to decide that. Another call of the same tool may be decided otherwise.
    Uncertain,
    /// A hook returned an error, panicked, timed out or gave an unusable answer, and fails closed (law 3).
    Failure,
}

/// Evidence that a decision rests on, for `explain` and the audit log (law 5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Evidence {
    /// A part of an argument's text, in bytes.
    Span {
        /// Offset of the first byte.
        start: usize,
        /// Offset one past the last byte.
        end: usize,
        /// The text itself.
        text: String,
    },
    /// A path, as given and as resolved.
    Path {
        /// The path as the argument has it.
        given: String,
        /// The path after `.`, `..`, links and encodings were resolved.
        resolved: String,
    },
    /// A command as the shell would start it.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
    },
    /// A counter, compared with its limit.
    Count {
        /// Amount that is used.
        used: u64,
        /// Amount that is allowed.
        limit: u64,
    },
}

/// A reason for an answer: the policy, the rule, the argument, the evidence, and the change that would lead
/// to another answer.
///
/// ```
/// use hooks_core::{Evidence, Reason, Strength, Verdict};
///
/// let reason = Reason::new("budget", "tokens", "the token budget is used up")
///     .because(Evidence::Count { used: 1_000, limit: 1_000 })
///     .unless("raise `budget.tokens`");
/// let verdict = Verdict::deny(reason);
/// let reason = &verdict.reasons()[0];
/// assert_eq!(reason.strength, Strength::Deny); // set by the verdict
/// assert_eq!(reason.remedy.as_deref(), Some("raise `budget.tokens`"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Reason {
    /// Strength that this reason argues for. It is set when the reason is put into a verdict.
    pub strength: Strength,
    /// Name of the policy.
    pub policy: Cow<'static, str>,
    /// Name of the rule within the policy.
    pub rule: Cow<'static, str>,
    /// Strength that a rule in the [shadow](crate::shadow) would have argued for. Such a reason argues for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would: Option<Strength>,
    /// Text for the user or the model.
    pub message: String,
    /// Whether a rule matched or may match, or a hook failed.
    #[serde(default)]
    pub kind: ReasonKind,
    /// JSON pointer to the argument that the reason is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// Evidence for the decision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// Advice for the agent: what it can do instead. Clients show it to the model, after the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// Change that would lead to another answer, for the operator. No model gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// Whether the operator wrote the message, as the `reason:` of a rule. It is shown before others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_operator: bool,
}

impl Reason {
    /// A reason with the name of the policy, the name of the rule and the text to show.
    pub fn new(
        policy: impl Into<Cow<'static, str>>,
        rule: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            strength: Strength::NoOpinion,
            would: None,
            policy: policy.into(),
            rule: rule.into(),
            message: message.into(),
            kind: ReasonKind::Policy,
            argument: None,
            evidence: Vec::new(),
            advice: None,
            remedy: None,
            by_operator: false,
        }
    }

    /// A reason of kind `failure`, whose message has `error` and all its sources.
    pub fn failure(policy: impl Into<Cow<'static, str>>, error: &(dyn std::error::Error + 'static)) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message = format!("{message}: {cause}");
            source = cause.source();
        }
        Self { kind: ReasonKind::Failure, ..Self::new(policy, "failure", message) }
    }

    /// Sets the argument that the reason is about, as a JSON pointer.
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

    /// Returns the text for the agent: the message, and what the agent can do instead.
    ///
    /// ```
    /// use hooks_core::Reason;
    ///
    /// let reason = Reason::new("guard", "sudo", "`sudo` is blocked")
    ///     .instead("ask the user to run it")
    ///     .unless("take `sudo` out of `command_guard.block`");
    /// assert_eq!(reason.for_agent(), "`sudo` is blocked; ask the user to run it");
    /// ```
    pub fn for_agent(&self) -> Cow<'_, str> {
        match &self.advice {
            Some(advice) => Cow::Owned(format!("{}; {advice}", self.message)),
            None => Cow::Borrowed(&self.message),
        }
    }

    /// Whether the reason argues for `strength`. A reason of a rule in the [shadow](crate::shadow) argues for nothing.
    #[inline]
    pub fn argues_for(&self, strength: Strength) -> bool {
        self.strength == strength && self.would.is_none()
    }

    /// Turns the reason into a note of what it would have argued for, unless it argues for nothing.
    fn put_in_shadow(&mut self) {
        if self.strength > Strength::NoOpinion {
            self.would = Some(std::mem::take(&mut self.strength));
        }
    }

    /// Marks the message as the operator's own text.
    #[must_use]
    pub const fn by_operator(mut self) -> Self {
        self.by_operator = true;
        self
    }

    /// Marks the reason as one of a rule that may match.
    ///
    /// ```
    /// use hooks_core::{Reason, ReasonKind};
    ///
    /// let reason = Reason::new("rules", "pages", "the rule `pages` may apply: the call has no URL").uncertain();
    /// assert_eq!(reason.kind, ReasonKind::Uncertain);
    /// ```
    #[must_use]
    pub const fn uncertain(mut self) -> Self {
        self.kind = ReasonKind::Uncertain;
        self
    }

    /// Sets what the agent can do instead.
    #[must_use]
    pub fn instead(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Sets the change of the rules or of the surroundings that would lead to another answer. It is for the
    /// operator: a model that knows it would ask for it.
    #[must_use]
    pub fn unless(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// Reasons in order. One word wide; an empty list does not allocate, so an allow without a reason costs
/// nothing.
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

    /// Adds a reason at the end.
    pub fn push(&mut self, reason: Reason) {
        self.0.get_or_insert_default().push(reason);
    }

    /// Adds the reasons of `later` at the end.
    pub fn append(&mut self, later: Self) {
        match (&mut self.0, later.0) {
            (_, None) => {}
            (mine @ None, theirs) => *mine = theirs,
            (Some(mine), Some(mut theirs)) => mine.append(&mut theirs),
        }
    }

    /// The first reason that argues for `strength`, which is the one to show.
    ///
    /// ```
    /// use hooks_core::{Reason, Reasons, Strength, Verdict};
    ///
    /// let reasons: Reasons = [Verdict::ask(Reason::new("a", "x", "sure?")), Verdict::deny(Reason::new("b", "y", "no"))]
    ///     .iter()
    ///     .flat_map(|verdict| verdict.reasons().to_vec())
    ///     .collect();
    /// assert_eq!(reasons.first_of(Strength::Deny).expect("there is one").message, "no");
    /// assert!(reasons.first_of(Strength::Allow).is_none());
    /// ```
    pub fn first_of(&self, strength: Strength) -> Option<&Reason> {
        self.as_slice().iter().find(|reason| reason.argues_for(strength))
    }

    /// Turns all reasons into notes of what they would have argued for. An allow of `policy` without a reason gets one.
    pub(crate) fn put_in_shadow(&mut self, strength: Strength, policy: &str) {
        if strength == Strength::Allow && self.first_of(strength).is_none() {
            let mut reason = Reason::new(policy.to_owned(), "allow", "it is allowed");
            reason.strength = strength;
            self.push(reason);
        }
        self.0.iter_mut().flat_map(|reasons| reasons.iter_mut()).for_each(Reason::put_in_shadow);
    }

    /// Keeps only the reasons for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&Reason) -> bool) {
        if let Some(reasons) = &mut self.0 {
            reasons.retain(keep);
        }
        // An empty list is stored as `None`, so that it equals one that was never filled.
        self.0.take_if(|reasons| reasons.is_empty());
    }

    /// Whether there are no reasons.
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

/// The answer of a policy: a strength and the reasons for it. Two words wide.
///
/// A deny and an ask always have a reason. Verdicts form a monoid under [`Verdict::merge`] with
/// [`Verdict::NO_OPINION`] as its neutral element.
///
/// ```
/// use hooks_core::{Reason, Strength, Verdict};
///
/// let mut verdict = Verdict::ALLOW;
/// verdict.merge(Verdict::deny(Reason::new("paths", "secrets", "`secrets/` is off limits")));
/// verdict.merge(Verdict::ask(Reason::new("tools", "bash", "run it?")));
/// assert_eq!(verdict.strength(), Strength::Deny);
/// assert_eq!(verdict.reasons().len(), 2); // the weaker reason is kept
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Verdict {
    strength: Strength,
    reasons: Reasons,
}

impl Verdict {
    /// No opinion, without a reason.
    pub const NO_OPINION: Self = Self { strength: Strength::NoOpinion, reasons: Reasons(None) };
    /// An allow without a reason.
    pub const ALLOW: Self = Self { strength: Strength::Allow, reasons: Reasons(None) };

    /// Allows the event, with a reason.
    pub fn allow(reason: Reason) -> Self {
        Self::with(Strength::Allow, reason)
    }

    /// Asks the user to decide.
    pub fn ask(reason: Reason) -> Self {
        Self::with(Strength::Ask, reason)
    }

    /// Denies the event.
    pub fn deny(reason: Reason) -> Self {
        Self::with(Strength::Deny, reason)
    }

    /// The denial of a policy that could not judge (law 3).
    ///
    /// ```
    /// use hooks_core::{HookError, ReasonKind, Verdict};
    ///
    /// let verdict = Verdict::failed("paths", &HookError::unavailable("the disk is gone"));
    /// assert!(verdict.is_final());
    /// assert_eq!(verdict.reasons()[0].kind, ReasonKind::Failure);
    /// assert_eq!(verdict.reasons()[0].message, "the hook is not available: the disk is gone");
    /// ```
    pub fn failed(policy: impl Into<Cow<'static, str>>, error: &(dyn std::error::Error + 'static)) -> Self {
        Self::deny(Reason::failure(policy, error))
    }

    /// The verdict of a policy that could not judge, for an event whose failures open: no opinion, with the
    /// failure as reason.
    pub(crate) fn passed_over(reason: Reason) -> Self {
        Self::with(Strength::NoOpinion, reason)
    }

    fn with(strength: Strength, mut reason: Reason) -> Self {
        reason.strength = strength;
        let mut reasons = Reasons::default();
        reasons.push(reason);
        Self { strength, reasons }
    }

    /// Strength of the verdict.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// Reasons for the verdict, in order.
    pub fn reasons(&self) -> &[Reason] {
        self.reasons.as_slice()
    }

    /// Whether the verdict is no opinion without any reason.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        self.strength == Strength::NoOpinion && self.reasons.is_empty()
    }

    /// Whether no later verdict can change the strength.
    pub fn is_final(&self) -> bool {
        self.strength == Strength::Deny
    }

    /// Merges `later` into this verdict: the stronger strength, the reasons of both.
    #[inline]
    pub fn merge(&mut self, later: Self) {
        self.strength = self.strength.max(later.strength);
        self.reasons.append(later.reasons);
    }

    /// The verdict of `policy` in the [shadow](crate::shadow): no opinion, and reasons that note what it would have been.
    ///
    /// ```
    /// use hooks_core::{Reason, Strength, Verdict};
    ///
    /// let noted = Verdict::deny(Reason::new("rules", "no-push", "pushes are made by people")).in_shadow("rules");
    /// assert_eq!((noted.strength(), noted.would()), (Strength::NoOpinion, Strength::Deny));
    /// assert_eq!(noted.clone().in_shadow("rules"), noted);
    /// assert_eq!(Verdict::ALLOW.in_shadow("rules").would(), Strength::Allow);
    /// ```
    pub fn in_shadow(mut self, policy: &str) -> Self {
        self.reasons.put_in_shadow(self.strength, policy);
        self.strength = Strength::NoOpinion;
        self
    }

    /// The strongest answer that rules in the shadow would have given; no opinion without such rules.
    pub fn would(&self) -> Strength {
        self.reasons().iter().filter_map(|reason| reason.would).max().unwrap_or_default()
    }

    /// The part of the verdict that still holds after the event was rewritten: deny and ask stay; an allow
    /// was given for other arguments and becomes no opinion (law 2).
    ///
    /// ```
    /// use hooks_core::{Reason, Strength, Verdict};
    ///
    /// assert_eq!(Verdict::ALLOW.stale(), Verdict::NO_OPINION);
    /// let ask = Verdict::ask(Reason::new("tools", "bash", "run it?"));
    /// assert_eq!(ask.stale().strength(), Strength::Ask);
    /// ```
    pub fn stale(self) -> Self {
        if self.strength == Strength::Allow { Self::NO_OPINION } else { self }
    }

    /// Drops the reasons that `earlier` has as well.
    pub(crate) fn forget_reasons_of(&mut self, earlier: &Self) {
        self.reasons.retain(|reason| !earlier.reasons().contains(reason));
    }

    pub(crate) fn into_parts(self) -> (Strength, Reasons) {
        (self.strength, self.reasons)
    }
}
