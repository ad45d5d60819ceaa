//! Words before a marker: the person they address, and whether they address one at all.

use super::{Form, WishParser};
use crate::directive::markers::{Marker, Sign, goes_on};
use crate::directive::words::{
    CONDITIONS, GLAD, HAPPENING, JOINING, NAMING, OF_WORK, PASSING, RULING, SCOPING, SUBJECTS, TELLING, TOLD,
    WEIGHTY,
};

/// The most tokens between "e.g." and a word that it makes an example.
const NEAR: usize = 12;

impl WishParser<'_> {
    /// Returns the clause of the token at `at`.
    pub(super) fn clause(&self, at: usize) -> Clause {
        let is_boundary =
            |at: usize| matches!(self.sentence.mark(at), Some(',' | ':' | ';' | '—' | '–' | '-' | '(' | ')'));
        let wide = (0..at).rev().find(|at| is_boundary(*at)).map_or(0, |at| at + 1);
        let begins_request = match self.form {
            Form::Request(start) if start <= at => start,
            _ => 0,
        };
        let wide = wide.max(begins_request);
        let joined = (wide..at).rev().find(|at| self.sentence.is(*at, JOINING));
        let narrow = joined.map_or(wide, |at| at + 1);
        let start = self.past_fillers(narrow, at);
        Clause { start, wide: self.past_fillers(wide, at), boundary: narrow }
    }

    pub(super) fn past_fillers(&self, from: usize, to: usize) -> usize {
        (from..to).find(|at| !self.sentence.is_filler(*at)).unwrap_or(to)
    }

    /// Returns the start of the wish, if the words before the marker let it govern an instruction.
    pub(super) fn governed(&self, marker: &Marker, clause: Clause, was_rejected: bool) -> Option<usize> {
        let at = marker.at;
        if clause.start == at {
            // "Don't ever" addresses the agent; "never" may continue a report.
            let is_told = self.sentence.is(at, &["don't", "dont", "do"]);
            return clause.begin_if(is_told || !self.is_narrated(clause, was_rejected));
        }
        if self.obliges(clause.start, at, marker) {
            return Some(clause.start);
        }
        if clause.wide < clause.start && self.obliges(clause.wide, at, marker) {
            return Some(clause.wide);
        }
        // "When committing always …", "On the target never …": the condition has no comma.
        clause.begin_if_at(self.is_scope(clause.wide, at), at)
    }

    /// Whether an adverb without a subject continues a report: "it crashes and never recovers".
    pub(super) fn is_narrated(&self, clause: Clause, was_rejected: bool) -> bool {
        let Some(before) = clause.boundary.checked_sub(1) else { return false };
        if matches!(self.form, Form::Request(start) if start == clause.boundary) {
            return false;
        }
        if matches!(self.sentence.mark(before), Some(':' | ';' | '—' | '–' | '-' | '(')) {
            return false;
        }
        let is_joined = self.sentence.is(before, JOINING);
        let has_comma = self.sentence.mark(before) == Some(',')
            || (is_joined && before > 0 && self.sentence.mark(before - 1) == Some(','));
        let begins = (0..before)
            .rev()
            .find(|at| matches!(self.sentence.mark(*at), Some(':' | ';' | '—' | '–')))
            .map_or(0, |at| at + 1);
        let begins = self.past_fillers(begins, before);
        if was_rejected && !self.sentence.is(before, &["but", "so"]) {
            return true;
        }
        let is_relative = (begins..before).any(|at| self.sentence.is(at, &["that", "which", "who"]));
        if is_joined && !has_comma && is_relative {
            return true;
        }
        let is_about = self.sentence.is(begins, SUBJECTS)
            && !self.sentence.is(begins, &["you", "we", "everyone", "all"]);
        let opposes = self.sentence.is(before, &["but", "so"]);
        is_about
            && !opposes
            && !(self.sentence.is(begins, &["i"]) && self.sentence.is(begins + 1, &["want", "need"]))
    }

    /// Whether the words from `start` to `end` oblige the agent to do what follows.
    pub(super) fn obliges(&self, start: usize, end: usize, marker: &Marker) -> bool {
        let s = self.sentence;
        let Some(mut last) = end.checked_sub(1).filter(|last| *last >= start) else { return false };
        while last > start && s.is(last, &["also", "really", "please", "just", "still", "really"]) {
            last -= 1;
        }
        if s.is(last, &["must", "should", "shall", "shd"]) {
            return self.is_told(start, last);
        }
        if s.is(last, &["to"]) {
            let please = start == last && last > 0 && s.is(last - 1, &["please", "kindly"]);
            return please || (last > start && self.leads(start, last - 1));
        }
        if start == last {
            return match s.word(start) {
                "let's" | "lets" => true,
                word if word.starts_with('@') => true,
                "we" => {
                    // "so we never divide by zero" is a reason.
                    let is_reason = start > 1 && s.is(start - 1, &["so"]) && s.mark(start - 2) != Some(',');
                    !is_reason && !s.is(marker.end(), HAPPENING) && marker.sign != Sign::Stop
                }
                "i" => s.is(marker.end(), &["want", "expect", "need", "prefer", "like", "insist"]),
                _ => false,
            };
        }
        // "make sure you", "it is vital that we", "in tests we"
        if s.is(last, &["you", "we", "u", "agents", "everyone"]) {
            let that = if s.is(last - 1, &["that"]) { last.checked_sub(2) } else { last.checked_sub(1) };
            let leads = that.filter(|at| *at >= start).is_some_and(|at| {
                s.is(at, &["sure", "ensure", "careful", "see", "it"])
                    || ((s.is(at, WEIGHTY) || s.is(at, RULING))
                        && s.is(last - 1, &["that"])
                        && !s.is(at.wrapping_sub(1), &["the", "this", "that"]))
            });
            let is_ours = s.is(last, &["we"]) && s.is(start, SCOPING) && !s.is(marker.end(), HAPPENING);
            return leads || (is_ours && marker.sign != Sign::Stop);
        }
        if marker.sign == Sign::Never && s.is(last, &["may"]) {
            return self.is_told(start, last) && !s.is(marker.end(), HAPPENING);
        }
        if marker.sign == Sign::Stop && s.is(last, &["can", "may"]) {
            return s.is(start, &["you"]) && last == start + 1;
        }
        // "you will always"
        s.is(last, &["will"]) && s.is(start, &["you"]) && last == start + 1 && marker.sign == Sign::Always
    }

    /// "You are never to …", "I'd ask you never to …", "Take care never to …"; "I'd be glad if you always tagged me".
    pub(super) fn told_to(&self, marker: &Marker, clause: Clause) -> Option<usize> {
        let s = self.sentence;
        let last = marker.at.checked_sub(1).filter(|last| *last >= clause.start)?;
        // "… if you could always …"
        let could = usize::from(s.is(last, &["could", "would", "can"]));
        let last = last.checked_sub(could).filter(|last| *last >= clause.start)?;
        if s.is(last, &["you"]) && last > clause.start && s.is(last - 1, &["if"]) {
            let is_glad = (clause.start..last).any(|at| s.is(at, GLAD));
            return clause.begin_if(is_glad && !s.word(marker.end()).is_empty());
        }
        // "You always have to add type hints."
        let is_yours = s.is(last, &["you", "we"])
            && last == clause.start
            && s.is(marker.end(), &["have", "need"])
            && s.is(marker.end() + 1, &["to"])
            && (marker.end() + 2..s.len()).any(|at| self.is_made(at));
        if is_yours && marker.sign == Sign::Always {
            return Some(clause.start);
        }
        let to = s.is(marker.end(), &["to"]) && self.is_verb(marker.end() + 1);
        let is_due = s.is(last, &["you're", "care", "careful", "sure"])
            || (s.is(last, &["are"]) && self.is_told(clause.start, last))
            || self.leads(clause.start, last);
        clause.begin_if(to && is_due)
    }

    /// Whether the words up to `last`, with a "to" after them, ask for something.
    pub(super) fn leads(&self, start: usize, last: usize) -> bool {
        let s = self.sentence;
        match s.word(last) {
            "sure" => last > start && s.is(last - 1, &["make", "be"]),
            "must" | "should" => self.is_told(start, last),
            "please" => last == start,
            "try" | "remember" | "ensure" | "aim" | "careful" => {
                last == start || s.is(last - 1, &["be", "please", "must", "should"]) || s.is(start, TOLD)
            }
            "need" | "have" | "ought" | "are" | "supposed" | "got" | "want" | "going" => {
                let subject =
                    (start..last).rev().find(|at| !s.is(*at, &["are", "is", "really", "also", "'re"]));
                subject.is_some_and(|at| self.is_told(start, at + 1))
            }
            word if WEIGHTY.contains(&word) => true,
            "is" => (start..last).any(|at| s.is(at, &["rule", "policy", "convention"])),
            "you" | "us" | "everyone" | "everybody" | "agents" | "team" | "all" => {
                let verb = (start..last).rev().find(|at| !s.is(*at, &["the", "all", "of"]));
                verb.is_some_and(|at| {
                    // "I didn't ask you to stop."
                    !s.is(at.wrapping_sub(1), &["didn't", "never", "not"])
                        && s.is(
                            at,
                            &[
                                "want", "need", "expect", "ask", "like", "require", "tell", "remind",
                                "asking", "urge", "love",
                            ],
                        )
                }) && s.is(start, &["i", "we", "i'd", "we'd", "i'm", "we're"])
            }
            _ => false,
        }
    }

    /// Whether the words from `start` to `end` name a person who is obliged, or a part of the work.
    pub(super) fn is_told(&self, start: usize, end: usize) -> bool {
        let s = self.sentence;
        let count = end.saturating_sub(start);
        if count == 0 || count > 6 {
            return false;
        }
        let last = end - 1;
        if s.is(last, TOLD) && s.is(start, SCOPING) {
            return true;
        }
        if s.is(last, TOLD)
            && (count == 1
                || s.is(start, &["the", "all", "every", "our", "each", "that", "sure", "make", "ensure"]))
        {
            return true;
        }
        // "Agents on the data team must never …"
        if s.is(start, TOLD) && s.is(start + 1, &["on", "in", "of", "from", "with", "at"]) {
            return true;
        }
        let is_one_thing = s.is(start, &["the", "this", "that", "a", "an", "my", "it"]);
        let is_of_work = |at: usize| {
            let is_plain =
                !s.is(at, &["request", "requests"]) || s.is(at.wrapping_sub(1), &["pull", "merge"]);
            s.is(at, OF_WORK) && is_plain
        };
        !is_one_thing && (start..end).any(is_of_work)
    }

    /// Whether the words from `start` to `end` name a time or a place, with the subject left out.
    pub(super) fn is_scope(&self, start: usize, end: usize) -> bool {
        let s = self.sentence;
        if end <= start + 1 || !s.is(start, SCOPING) {
            return false;
        }
        let last = end - 1;
        if s.is(last, SUBJECTS)
            || s.is(last, &["which", "who", "to", "is", "are", "was", "will", "can", "does", "do", "not"])
        {
            return false;
        }
        // "In CI the tests …": a subject follows the scope.
        let is_subject = (start + 2..last).any(|at| {
            s.is(at, &["the", "our", "my", "these", "those", "all", "some"])
                && !s.is(at - 1, SCOPING)
                && !s.is(at - 1, &["of", "to", "or", "and", "about"])
        });
        if is_subject && !goes_on(s, start + 1) && !s.is(start, CONDITIONS) {
            return false;
        }
        if s.is(start, CONDITIONS) {
            return goes_on(s, start + 1)
                || (s.is(start + 1, &["you", "we"]) && end > start + 2)
                || s.is(start + 1, &["in"]);
        }
        true
    }

    /// Whether the rule is reported from another source: "the guide recommends to always …", "the guide states
    /// that …".
    pub(super) fn is_told_by_others(&self, at: usize) -> bool {
        let s = self.sentence;
        let begins = (0..at).rev().find(|at| s.mark(*at) == Some(';')).map_or(0, |at| at + 1);
        let first = self.past_fillers(begins, at);
        (begins..at).any(|told| {
            let is_verb_here = told == first || s.is(told.wrapping_sub(1), JOINING);
            s.is(told, TELLING) && !is_verb_here && !s.is(told.wrapping_sub(1), &["i", "i've", "to"])
        })
    }

    /// Whether the word is only quoted: "the word always", "a message: never …".
    pub(super) fn is_named(&self, at: usize) -> bool {
        let s = self.sentence;
        let Some(before) = at.checked_sub(1) else { return false };
        let is_example = (at.saturating_sub(NEAR)..at).any(|at| {
            s.is(at, &["e.g.", "eg.", "e.g", "eg"])
                || s.is(at, &["for"]) && s.is(at + 1, &["example", "instance"]) && s.mark(at + 2).is_some()
                || s.reads(at, &["such", "as"])
        });
        if is_example {
            return true;
        }
        let before = if s.mark(before) == Some(':') { before.wrapping_sub(1) } else { before };
        s.is(before, NAMING)
    }

    /// Whether it is about one task: "this time", "for now", "in this PR".
    pub(super) fn is_passing(&self, marker: &Marker) -> bool {
        let s = self.sentence;
        if matches!(marker.sign, Sign::FromNowOn | Sign::Later | Sign::NextTime) {
            return false;
        }
        // "This time skip it, but otherwise always …" gives the rule for all other times.
        let otherwise = (0..marker.at).rev().find(|at| s.is(*at, &["otherwise"]));
        let begins = (0..marker.at).rev().find(|at| s.mark(*at) == Some(';')).map_or(0, |at| at + 1);
        let begins = otherwise.map_or(begins, |at| begins.max(at));
        let ends = (marker.end()..s.len()).find(|at| s.mark(*at) == Some(';')).unwrap_or(s.len());
        (begins..ends).any(|at| match s.word(at) {
            "this" => {
                let is_during = s.is(at.wrapping_sub(1), &["in", "for", "on", "during", "just"]);
                s.is(at + 1, &["time"]) || (is_during && s.is(at + 1, PASSING))
            }
            "that" => s.is(at.wrapping_sub(1), &["in", "for", "on"]) && s.is(at + 1, PASSING),
            "for" => {
                s.is(at + 1, &["now"])
                    || s.reads(at + 1, &["the", "moment"])
                    || s.reads(at + 1, &["the", "time", "being"])
            }
            "right" => s.is(at + 1, &["now"]),
            _ => false,
        })
    }
}

/// Clause that contains a marker.
#[derive(Clone, Copy)]
pub(super) struct Clause {
    /// First token after fillers.
    pub(super) start: usize,
    /// First token if joining words such as "and" do not begin a clause.
    pub(super) wide: usize,
    /// First token, fillers included.
    pub(super) boundary: usize,
}

impl Clause {
    pub(super) fn begin_if(self, holds: bool) -> Option<usize> {
        self.begin_if_at(holds, self.start)
    }

    pub(super) fn begin_if_at(self, holds: bool, at: usize) -> Option<usize> {
        holds.then_some(at)
    }
}
