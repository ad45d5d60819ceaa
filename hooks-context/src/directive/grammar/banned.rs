//! Bans without the word "never": "avoid globals", "no force pushes", "eval is forbidden here".
//!
//! A ban on one thing is for one task ("don't touch the header"); a ban on a kind of thing is meant for good.

use super::WishParser;
use super::before::Clause;
use crate::directive::Mode;
use crate::directive::markers::{Marker, goes_on};
use crate::directive::words::{
    HAPPENING, NO_VERBS, OF_WORK, PAST, PLACES_OF_WORK, RECURRING, SCOPING, SUBJECTS, TOLD, VERBS,
};

/// Nouns that a report counts, as in "no errors": such a sentence is not a ban.
const REPORTED: &[&str] = table!("words_reported");

/// Parts of an answer.
const CHAT: &[&str] = table!("unmarked_chat");

/// Branches, environments and days that a ban protects.
const GUARDED: &[&str] = table!("words_guarded");

impl WishParser<'_> {
    /// "Avoid nested ternaries."
    pub(super) fn avoided(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let is_told = s.is(clause.start, TOLD) || s.is(clause.start, &["make", "be", "try", "i", "i'd"]);
        let governs = clause.start == marker.at
            || (is_told && self.obliges(clause.start, marker.at, marker))
            || self.is_scope(clause.wide, marker.at);
        let start = if clause.start > marker.at { marker.at } else { clause.start };
        let ends = self.clause_end(marker.end());
        let object = marker.end();
        let uses = s.is(object, &["using", "writing"]);
        let holds = governs
            && self.opens(clause)
            && (uses || self.is_general(object, ends))
            && !self.is_soon_over(object..ends);
        holds.then_some((Mode::Never, start))
    }

    /// "Don't use wildcard imports.", without words that limit it in time.
    pub(super) fn not_done(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let verb = marker.end();
        let ends = self.clause_end(verb);
        let object = verb + 1;
        let lasts = s.is(verb, &["use", "commit", "log", "leave", "hardcode", "hard-code"])
            && !self.is_named_alone(object);
        // "Don't push to main."
        let to = (object..object + 2).find(|at| s.is(*at, &["to", "on", "into", "against"]));
        let is_guarded = to.is_some_and(|to| s.is(to + 1, GUARDED) && to + 2 >= ends)
            && s.is(verb, &["push", "merge", "deploy", "commit", "release", "write", "publish"]);
        let says_how = (object..ends).any(|at| {
            s.is(at, &["without", "unless", "directly", "manually"]) || s.reads(at, &["by", "hand"])
        });
        // It is about one output: "don't include tests in the count".
        let shows = s.is(verb, &["include", "count", "show", "print", "return", "list", "display", "render"])
            && (object..ends).any(|at| s.is(at, &["the", "these"]));
        let is_ours = clause.start + 1 == marker.at
            && s.is(clause.start, &["we"])
            && !s.is(verb, HAPPENING)
            && !s.is(verb, &["support", "store", "track", "use"]);
        let holds = (clause.start == marker.at || is_ours)
            && !shows
            && self.opens(clause)
            && s.is(verb, VERBS)
            && !s.is(verb, &["let", "wait", "start", "be"])
            && self.is_general(object, ends)
            && (is_guarded || lasts || says_how || self.is_plural(object, ends) || s.is(object, &["any"]))
            && !self.is_soon_over(object..ends);
        holds.then_some((Mode::Never, clause.start))
    }

    /// Whether the object is the name of a single thing, such as a number or a path.
    fn is_named_alone(&self, at: usize) -> bool {
        let word = self.sentence.word(at);
        word.is_empty() || word.contains(|c: char| c.is_ascii_digit() || c == '/')
    }

    /// "You may not install global packages."
    pub(super) fn not_allowed(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let modal = if s.is(marker.at, &["not"]) { marker.at - 1 } else { marker.at };
        let mut verb = marker.end();
        let to = s.is(verb, &["to"]);
        if to {
            verb += 1;
        }
        let is_modal = !s.is(modal, &["are", "you're"]) || to;
        let told = self.is_told(clause.start, modal) || (s.is(modal, &["you're"]) && clause.start == modal);
        while s.is(verb, &["ever", "never", "just", "simply"]) {
            verb += 1;
        }
        let ends = self.clause_end(verb);
        let holds = is_modal
            && told
            && self.is_verb(verb)
            && !s.is(verb, HAPPENING)
            && (!s.is(modal, &["should", "shouldn't"]) || self.is_general(verb + 1, ends))
            && !self.is_soon_over(verb..ends);
        holds.then_some((Mode::Never, clause.start))
    }

    /// "No force pushes.", "Nothing goes out without a test, ever."
    pub(super) fn none_of(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let first = marker.end();
        let ends = self.clause_end(first);
        let for_ever = s.is(ends.saturating_sub(1), &["ever"])
            || (first..ends).any(|at| s.is(at, &["ever"]) && s.mark(at + 1).is_some());
        let sure = (clause.wide..marker.at).any(|at| s.is(at, &["sure", "ensure"]));
        if sure {
            let ever = (first..ends).find(|at| s.is(*at, &["ever"]));
            let is_work = (first..ends).any(|at| s.is(at, OF_WORK));
            return (ever.is_some() && is_work && !self.is_soon_over(first..ends))
                .then_some((Mode::Never, clause.wide));
        }
        // "So quick and dirty is fine: no tests, no CLI."
        let is_allowed = (0..marker.at)
            .any(|at| s.is(at, &["fine", "enough", "ok", "okay"]) && s.mark(at + 1) == Some(':'));
        let opens = self.opens(clause) || self.is_over_at(ends);
        if is_allowed || clause.start != marker.at || !opens || self.is_soon_over(first..ends) {
            return None;
        }
        if for_ever {
            return Some((Mode::Never, marker.at));
        }
        if self.is_over_at(ends) {
            return Some((Mode::Stop, marker.at));
        }
        if s.is(marker.at, &["nothing"]) || s.is(first, REPORTED) || s.is(first, &["i", "it", "that", "the"])
        {
            return None;
        }
        // "No tests failed" reports a fact about them.
        let tells = (first..ends).any(|at| {
            let word = s.word(at);
            s.is(at, PAST)
                || s.is(
                    at,
                    &["is", "are", "was", "were", "has", "have", "yet", "found", "there", "left", "needed"],
                )
                || (word.ends_with("ed") && at + 1 >= ends)
                || s.is(at, REPORTED)
        });
        let is_head =
            |at: usize| !s.word(at).is_empty() && !s.is(at, SCOPING) && !s.is(at, &["to", "of", "from"]);
        let last = (first..ends).take_while(|at| is_head(*at)).last()?;
        let is_plural = self.is_plural(last, last + 1) || goes_on(s, first);
        (!tells && is_plural && last < first + 4).then_some((Mode::Never, marker.at))
    }

    /// Whether the clause that ends at `end` closes with "any more".
    fn is_over_at(&self, end: usize) -> bool {
        let s = self.sentence;
        s.is(end.wrapping_sub(1), &["anymore"]) || s.reads(end.saturating_sub(2), &["any", "more"])
    }

    /// "eval is forbidden in this project", "It is forbidden to …", "Tests are mandatory for every fix".
    pub(super) fn predicated(&self, marker: &Marker, mode: Mode) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let hard = (0..marker.at)
            .rev()
            .find(|at| matches!(s.mark(*at), Some(',' | ';' | ':' | '—' | '–')))
            .map_or(0, |at| at + 1);
        let start = self.past_fillers(hard, marker.at);
        let is = (start..marker.at).find(|at| s.is(*at, &["is", "are", "it's", "isn't", "aren't"]))?;
        let adverbs = (is + 1..marker.at).all(|at| {
            s.is(
                at,
                &["a", "an", "strictly", "absolutely", "not", "also", "completely", "always", "generally"],
            )
        });
        if !adverbs || self.is_soon_over(start..s.len()) {
            return None;
        }
        let next = marker.end();
        if s.is(start, &["it", "it's"]) || is == start {
            let leads = !s.is(marker.at, &["required"])
                && s.is(next, &["to", "that"])
                && self.is_verb(next + 1)
                && !s.is(next + 1, HAPPENING);
            return leads.then_some((mode, start));
        }
        if s.is(marker.end(), &["to"]) && s.is(start, TOLD) && is == start + 1 && !s.is(next + 1, HAPPENING) {
            return Some((mode, start));
        }
        if s.is(start, SUBJECTS) || s.is(start, &["access", "what"]) {
            return None;
        }
        let holds_here = (next..s.len()).any(|at| {
            s.is(at, PLACES_OF_WORK)
                || s.is(at, &["code", "you", "always"])
                || (s.is(at, &["every", "each", "all"]) && (s.is(at + 1, RECURRING) || s.is(at + 1, OF_WORK)))
        }) || s.reads(next, &["from", "now", "on"]);
        let is_use = s.is(start, &["use", "usage", "using"]) || (goes_on(s, start) && mode == Mode::Never);
        let is_use =
            is_use || s.is(marker.at, &["no-go", "no-no"]) || (goes_on(s, is - 1) && mode == Mode::Never);
        // "The generated folder is off limits for you."
        let is_yours =
            s.is(start, &["the"]) && s.is(next, &["for"]) && s.is(next + 1, &["you", "agents", "us"]);
        let is_kind = is - start <= 4 && (is_yours || !s.is(start, NO_VERBS)) && !s.is_filler(start);
        (is_kind && (holds_here || is_use)).then_some((mode, start))
    }

    /// "Cut out the summaries at the end of each answer."
    pub(super) fn dropped(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let ends = self.clause_end(marker.end());
        let often = (marker.end()..ends)
            .any(|at| s.is(at, &["every", "each", "always", "all"]) || s.is(at, CHAT))
            || goes_on(s, marker.end());
        let holds = clause.start == marker.at && often && !self.is_soon_over(marker.end()..ends);
        holds.then_some((Mode::Stop, clause.start))
    }
}
