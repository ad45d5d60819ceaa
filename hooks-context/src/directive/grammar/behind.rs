//! Words after a marker: whether they are an instruction.

use super::WishParser;
use super::before::Clause;
use crate::directive::markers::{Marker, goes_on};
use crate::directive::typos::corrected;
use crate::directive::words::{BASE, NO_VERBS, PAST, VERBS};

impl WishParser<'_> {
    /// Returns the first token of the instruction after a marker: "never, under any pressure, skip".
    pub(super) fn behind(&self, marker: &Marker) -> usize {
        let s = self.sentence;
        let mut at = marker.end();
        for _ in 0..3 {
            if s.mark(at) == Some(',') {
                let closes = (at + 1..s.len().min(at + 9)).find(|at| s.mark(*at) == Some(','));
                at = closes.filter(|_| !self.is_verb(at + 1)).map_or(at + 1, |closes| closes + 1);
            }
            if s.mark(at) == Some('(') {
                let closes = (at + 1..s.len().min(at + 9)).find(|at| s.mark(*at) == Some(')'));
                at = closes.map_or(at, |closes| closes + 1);
            }
            // "Never ever you should delete it."
            if s.is(at, &["you", "we", "should", "must"])
                && s.is(at + 1, &["should", "must", "may", "you", "we"])
            {
                at += 2;
            }
            // "Never under any circumstances delete it."
            if s.reads(at, &["under", "any"])
                && s.is(at + 2, &["circumstances", "circumstance", "conditions"])
            {
                at += 3;
            }
            let is_repeated = matches!(
                corrected(s.word(at)),
                "always"
                    | "never"
                    | "ever"
                    | "please"
                    | "again"
                    | "just"
                    | "only"
                    | "really"
                    | "actually"
                    | "even"
                    | "quite"
                    | "once"
                    | "remember"
            );
            if is_repeated && !s.is(at, &["remember"]) {
                at += 1;
            }
        }
        at
    }

    /// Whether the word at `at` can be the verb of an instruction.
    pub(super) fn is_verb(&self, at: usize) -> bool {
        let s = self.sentence;
        let word = s.word(at);
        if word.is_empty() || s.is_quoted(at) || !word.starts_with(|c: char| c.is_alphabetic()) {
            return false;
        }
        if BASE.contains(&word) {
            return true;
        }
        // "Always Sunny is a show" has another verb.
        if s.is(at + 1, &["is", "are", "was", "were", "has"])
            && !matches!(word, "check" | "ensure" | "assume")
        {
            return false;
        }
        let is_third = word.ends_with('s') && !word.ends_with("ss");
        let is_past = word.ends_with("ed") || PAST.contains(&word);
        let goes_on = goes_on(s, at);
        !(is_third || is_past || goes_on || NO_VERBS.contains(&word))
    }

    /// "Sign your commits, always.": the adverb ends an instruction.
    pub(super) fn behind_an_instruction(&self, marker: &Marker, clause: Clause) -> Option<usize> {
        let is_last = marker.end() == self.sentence.len()
            || self.sentence.is(marker.end(), &["when", "before", "after"]);
        let start = if clause.start == marker.at { self.past_fillers(0, marker.at) } else { clause.start };
        let wants =
            self.sentence.is(start, &["i", "we"]) && self.sentence.is(start + 1, &["want", "expect", "need"]);
        let instructs = (wants || self.sentence.is(start, VERBS)) && start < marker.at;
        // "Use always the metric units."
        let is_within = start + 1 == marker.at
            && instructs
            && !self.sentence.is(start, &["return", "show", "print", "display", "render", "be", "make"])
            && !self.sentence.word(marker.end()).is_empty();
        let is_sure =
            self.sentence.is(start, &["see", "ensure"]) || self.sentence.reads(start, &["make", "sure"]);
        if is_within || (is_last && is_sure && (start..marker.at).any(|at| self.sentence.is(at, &["that"]))) {
            return Some(start);
        }
        let is_relative =
            (start..marker.at).any(|at| self.sentence.is(at, &["that", "which", "who", "to", "is", "are"]));
        (is_last && instructs && !is_relative).then_some(start)
    }
}
