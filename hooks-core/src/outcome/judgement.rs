//! The answer to an event that is decided about.

use std::fmt;
use std::sync::Arc;

use super::{Hold, Holds, Notes, Outcome};
use crate::event::Event;
use crate::request::HookRequest;
use crate::reserve::Reserve;
use crate::verdict::{Reason, Reasons, Strength, Verdict};

/// A strength, and behind one pointer whatever else there is: reasons, the event as it was judged, what is
/// held, and the notes `N` that this kind of answer carries.
///
/// Two words wide, so that an allow without a word passes a stack of layers without an allocation.
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
    /// It may happen, without a word.
    pub fn allow() -> Self {
        Self { strength: Strength::Allow, detail: None }
    }

    /// What it carries beside strength and reasons; `None` where nobody wrote any.
    pub fn notes(&self) -> Option<&N> {
        self.detail.as_ref().map(|detail| &detail.notes)
    }

    /// The notes, to write.
    pub fn notes_mut(&mut self) -> &mut N {
        &mut self.detail_mut().notes
    }

    /// These notes, and no opinion.
    pub fn noting(notes: N) -> Self {
        let mut outcome = Self::default();
        *outcome.notes_mut() = notes;
        outcome
    }

    /// A person approved what was asked about: the ask is an allow from here on. A denial stays one.
    pub(crate) fn satisfy_ask(&mut self) {
        if self.strength == Strength::Ask {
            self.strength = Strength::Allow;
        }
    }

    fn detail_mut(&mut self) -> &mut Detail<E, N> {
        self.detail.get_or_insert_default()
    }

    /// What a denial holds is given back at once.
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

/// An outcome that policies give: it has a strength and reasons, and knows the event it is about once that
/// was rewritten. [`Judgement`] is the one there is; the trait lets layers be generic over the event.
pub trait Judged<E: Event>: Outcome + From<Verdict> {
    /// How strong it is.
    fn strength(&self) -> Strength;

    /// Why, in order.
    fn reasons(&self) -> &[Reason];

    /// The event as it was judged, where that is not the event that was asked about.
    fn effective(&self) -> Option<&HookRequest<E>> {
        self.judged_event().filter(|request| request.revision() > 0)
    }

    /// The event as it was last judged, where that is not the request that was asked: it was rewritten, or
    /// looked at anew after a wait.
    fn judged_event(&self) -> Option<&HookRequest<E>>;

    /// Says which event was judged, unless it is the one that was asked about. The innermost service of a
    /// stack does this.
    fn settle(&mut self, request: &HookRequest<E>);

    /// Drops an allow that was given before the event was rewritten; deny and ask stand (law 2).
    fn make_stale(&mut self);

    /// Drops the reasons that `earlier` gives too. What holds is its strength.
    fn forget_reasons_of(&mut self, earlier: &Self);

    /// Keeps `hold` until the event is over: committed when it goes ahead, given back when this is dropped
    /// or denied.
    fn hold(&mut self, hold: Box<dyn Hold>);

    /// Says that `reserve` is still to be asked, at the very end of the decision.
    fn owe(&mut self, reserve: Arc<dyn Reserve<E>>);

    /// Takes what is still to be asked for a place, in order.
    fn take_owed(&mut self) -> Vec<Arc<dyn Reserve<E>>>;

    /// Takes what is held, to commit it.
    fn take_holds(&mut self) -> Holds;

    /// Whether it is a denial.
    fn is_denied(&self) -> bool {
        self.strength() == Strength::Deny
    }

    /// Whether the event goes ahead where nobody can be asked: it is neither denied nor in question.
    fn goes_ahead(&self) -> bool {
        self.strength() <= Strength::Allow
    }

    /// The reason to show: the first of the winning strength.
    fn shown_reason(&self) -> Option<&Reason> {
        let strength = self.strength();
        self.reasons().iter().find(|reason| reason.strength == strength)
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
    /// Whether both say the same; what they hold is not compared.
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
