//! The answer to an event that can be denied.

use std::fmt;
use std::sync::Arc;

use super::shown::text_for_agent;
use super::{Hold, Holds, Notes, Outcome};
use crate::event::Event;
use crate::request::HookRequest;
use crate::reserve::Reserve;
use crate::verdict::{Reason, Reasons, Strength, Verdict};

/// A strength and, behind one pointer, all the rest: reasons, the event as it was judged, reservations, and
/// the notes `N` of this kind of answer.
///
/// It is two words wide, so that an allow without reasons passes through layers without an allocation.
///
/// ```
/// use hooks_core::event::PreToolUse;
/// use hooks_core::{Decision, Judged, Outcome, Reason, Strength, Verdict};
///
/// let mut decision = Decision::<PreToolUse>::from(Verdict::ask(Reason::new("tools", "bash", "run it?")));
/// decision.merge(Decision::allow());
/// assert_eq!(decision.strength(), Strength::Ask);
/// decision.merge(Verdict::deny(Reason::new("paths", "secrets", "off limits")).into());
/// assert_eq!(decision.shown_reason().expect("a reason").message, "off limits");
/// ```
#[must_use]
pub struct Judgement<E: Event, N: Notes> {
    strength: Strength,
    detail: Option<Box<Detail<E, N>>>,
}

struct Detail<E: Event, N> {
    reasons: Reasons,
    judged: Option<HookRequest<E>>,
    holds: Holds,
    owed: Vec<Arc<dyn Reserve<E>>>,
    notes: N,
}

impl<E: Event, N: Notes> Judgement<E, N> {
    /// An allow without a reason.
    pub fn allow() -> Self {
        Self { strength: Strength::Allow, detail: None }
    }

    /// The notes; `None` if no hook has written any.
    pub fn notes(&self) -> Option<&N> {
        self.detail.as_ref().map(|detail| &detail.notes)
    }

    /// The notes, for writing.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{Decision, Outcome};
    ///
    /// let mut decision = Decision::<PreToolUse>::allow();
    /// decision.notes_mut().system_messages.push("ran in a sandbox".to_owned());
    /// decision.merge(Decision::default());
    /// assert_eq!(decision.notes().expect("notes were written").system_messages, ["ran in a sandbox"]);
    /// ```
    pub fn notes_mut(&mut self) -> &mut N {
        &mut self.detail_mut().notes
    }

    /// A judgement with these notes and no opinion.
    pub fn noting(notes: N) -> Self {
        let mut outcome = Self::default();
        *outcome.notes_mut() = notes;
        outcome
    }

    /// Turns an ask into an allow, after the user approved. A denial stays a denial.
    pub(crate) fn satisfy_ask(&mut self) {
        if self.strength == Strength::Ask {
            self.strength = Strength::Allow;
        }
    }

    fn detail_mut(&mut self) -> &mut Detail<E, N> {
        self.detail.get_or_insert_default()
    }

    /// Gives back the reservations of a denied event at once.
    fn release_if_denied(&mut self) {
        if self.strength == Strength::Deny
            && let Some(detail) = &mut self.detail
        {
            drop(std::mem::take(&mut detail.holds));
            detail.owed.clear();
        }
    }
}

impl<E: Event, N: Notes> Outcome for Judgement<E, N> {
    #[inline]
    fn merge(&mut self, later: Self) {
        self.strength = self.strength.max(later.strength);
        match (&mut self.detail, later.detail) {
            (None, None) => return,
            (Some(_), None) => {}
            (mine @ None, theirs) => *mine = theirs,
            (Some(mine), Some(theirs)) => mine.merge(*theirs),
        }
        self.release_if_denied();
    }

    fn failed(reason: Reason, closes: bool) -> Self {
        if closes {
            return Self::from(Verdict::deny(reason));
        }
        let mut outcome = Self::default();
        outcome.detail_mut().reasons.push(reason);
        outcome
    }
}

/// An outcome of an event that policies judge. It has a strength and reasons, and contains the judged event
/// if that was rewritten. [`Judgement`] is the only implementation; the trait lets layers be generic over the
/// event.
pub trait Judged<E: Event>: Outcome + From<Verdict> {
    /// Strength of the outcome.
    fn strength(&self) -> Strength;

    /// Reasons of the outcome, in order.
    fn reasons(&self) -> &[Reason];

    /// The event as it was judged, if it was rewritten.
    fn effective(&self) -> Option<&HookRequest<E>> {
        self.judged_event().filter(|request| request.revision() > 0)
    }

    /// The event as it was last judged, if it differs from the request: it was rewritten, or its facts were
    /// refreshed after a wait.
    fn judged_event(&self) -> Option<&HookRequest<E>>;

    /// Records the event that was judged, unless it is the one of the original request. The innermost service
    /// of a stack calls this.
    fn settle(&mut self, request: &HookRequest<E>);

    /// Drops an allow that was given before the event was rewritten; deny and ask stay (law 2).
    fn make_stale(&mut self);

    /// Drops the reasons that `earlier` has as well. The strength does not change.
    fn forget_reasons_of(&mut self, earlier: &Self);

    /// Turns the outcome into no opinion, whose reasons note what they would have argued for; see
    /// [`shadow`](crate::shadow). The event as it was judged and the reservations stay.
    fn put_in_shadow(&mut self);

    /// Keeps `hold` until the event is over. The hold is committed when the event goes ahead, and given back
    /// if the outcome is dropped or denied.
    fn hold(&mut self, hold: Box<dyn Hold>);

    /// Records that `reserve` is still to be asked, at the end of the decision.
    fn owe(&mut self, reserve: Arc<dyn Reserve<E>>);

    /// Takes the reservations that are still to be made, in order.
    fn take_owed(&mut self) -> Vec<Arc<dyn Reserve<E>>>;

    /// Takes the holds, to commit them.
    fn take_holds(&mut self) -> Holds;

    /// Whether the event is denied.
    fn is_denied(&self) -> bool {
        self.strength() == Strength::Deny
    }

    /// Whether the event goes ahead without asking the user: it is neither denied nor an ask.
    fn goes_ahead(&self) -> bool {
        self.strength() <= Strength::Allow
    }

    /// Returns the text for the agent: all reasons of the winning strength, each once, and those that the
    /// operator wrote first. The text has a limited number of reasons.
    ///
    /// ```
    /// use hooks_core::event::PreToolUse;
    /// use hooks_core::{Decision, Judged, Outcome, Reason, Verdict};
    ///
    /// let guard = Reason::new("guard", "sudo", "`sudo` is blocked").instead("run it without");
    /// let mut decision = Decision::<PreToolUse>::from(Verdict::deny(guard));
    /// decision.merge(Verdict::ask(Reason::new("rules", "install", "a new package?")).into());
    /// decision.merge(Verdict::deny(Reason::new("rules", "root", "never as root").by_operator()).into());
    /// let text = decision.text_for_agent().expect("a reason");
    /// assert_eq!(text, "never as root. Also: `sudo` is blocked; run it without");
    /// ```
    fn text_for_agent(&self) -> Option<String> {
        text_for_agent(self.reasons(), self.strength())
    }

    /// The first reason of the winning strength, for records and metrics.
    fn shown_reason(&self) -> Option<&Reason> {
        let strength = self.strength();
        self.reasons().iter().find(|reason| reason.argues_for(strength))
    }
}

impl<E: Event, N: Notes> Judged<E> for Judgement<E, N> {
    #[inline]
    fn strength(&self) -> Strength {
        self.strength
    }

    fn reasons(&self) -> &[Reason] {
        self.detail.as_ref().map_or(&[], |detail| detail.reasons.as_slice())
    }

    #[inline]
    fn judged_event(&self) -> Option<&HookRequest<E>> {
        self.detail.as_ref()?.judged.as_ref()
    }

    #[inline]
    fn settle(&mut self, request: &HookRequest<E>) {
        if request.generation() > 0 {
            self.detail_mut().judged = Some(request.clone());
        }
    }

    fn make_stale(&mut self) {
        if self.strength == Strength::Allow {
            self.strength = Strength::NoOpinion;
        }
        if let Some(detail) = &mut self.detail {
            detail.reasons.retain(|reason| reason.strength != Strength::Allow);
        }
    }

    fn forget_reasons_of(&mut self, earlier: &Self) {
        if let Some(detail) = &mut self.detail {
            detail.reasons.retain(|reason| !earlier.reasons().contains(reason));
        }
    }

    fn put_in_shadow(&mut self) {
        let strength = std::mem::take(&mut self.strength);
        if strength == Strength::Allow || self.detail.is_some() {
            self.detail_mut().reasons.put_in_shadow(strength, "stack");
        }
    }

    fn hold(&mut self, hold: Box<dyn Hold>) {
        self.detail_mut().holds.push(hold);
        self.release_if_denied();
    }

    fn owe(&mut self, reserve: Arc<dyn Reserve<E>>) {
        self.detail_mut().owed.push(reserve);
        self.release_if_denied();
    }

    fn take_owed(&mut self) -> Vec<Arc<dyn Reserve<E>>> {
        self.detail.as_mut().map(|detail| std::mem::take(&mut detail.owed)).unwrap_or_default()
    }

    fn take_holds(&mut self) -> Holds {
        self.detail.as_mut().map(|detail| std::mem::take(&mut detail.holds)).unwrap_or_default()
    }
}

impl<E: Event, N: Notes> From<Verdict> for Judgement<E, N> {
    #[inline]
    fn from(verdict: Verdict) -> Self {
        let (strength, reasons) = verdict.into_parts();
        let mut outcome = Self { strength, detail: None };
        if !reasons.is_empty() {
            outcome.detail_mut().reasons = reasons;
        }
        outcome
    }
}

impl<E: Event, N: Notes> Default for Judgement<E, N> {
    fn default() -> Self {
        Self { strength: Strength::NoOpinion, detail: None }
    }
}

impl<E: Event, N: Notes> PartialEq for Judgement<E, N> {
    /// Whether strength, reasons, judged event and notes are equal. Reservations are not compared.
    fn eq(&self, other: &Self) -> bool {
        let same_notes = match (self.notes(), other.notes()) {
            (None, None) => true,
            (Some(notes), None) | (None, Some(notes)) => *notes == N::default(),
            (Some(mine), Some(theirs)) => mine == theirs,
        };
        same_notes
            && self.strength == other.strength
            && self.reasons() == other.reasons()
            && self.effective() == other.effective()
    }
}

impl<E: Event, N: Notes> fmt::Debug for Judgement<E, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Judgement");
        debug.field("strength", &self.strength);
        if let Some(detail) = &self.detail {
            debug
                .field("reasons", &detail.reasons)
                .field("judged", &detail.judged)
                .field("holds", &detail.holds)
                .field("notes", &detail.notes);
        }
        debug.finish()
    }
}

impl<E: Event, N: Notes> Detail<E, N> {
    fn merge(&mut self, later: Self) {
        self.reasons.append(later.reasons);
        if later.judged.is_some() {
            self.judged = later.judged;
        }
        self.holds.append(later.holds);
        self.owed.extend(later.owed);
        self.notes.merge(later.notes);
    }
}

impl<E: Event, N: Default> Default for Detail<E, N> {
    fn default() -> Self {
        Self {
            reasons: Reasons::default(),
            judged: None,
            holds: Holds::default(),
            owed: Vec::new(),
            notes: N::default(),
        }
    }
}
