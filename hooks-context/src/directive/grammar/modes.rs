//! Modes that have grammar rules of their own.

use std::ops::Range;

use super::before::Clause;
use super::{Form, MarkedWish, WishParser};
use crate::directive::Mode;
use crate::directive::markers::{Marker, Sign, goes_on};
use crate::directive::words::{
    ASKING, HAPPENING, JOINING, OBLIGING, OF_PRODUCT, OF_WORK, PAST, PLACES_OF_WORK, SCOPING, SUBJECTS, VERBS,
};

impl WishParser<'_> {
    pub(super) fn standing_from(
        &self,
        marker: &Marker,
        clause: Clause,
        last: Option<&MarkedWish>,
    ) -> Option<usize> {
        let s = self.sentence;
        let mut content = marker.end();
        while matches!(s.mark(content), Some(',' | ':' | '-' | '—' | '–')) || s.is_filler(content) {
            content += 1;
        }
        let will = |range: Range<usize>| {
            range.into_iter().any(|at| s.is(at, &["will", "might", "may", "could", "would"]))
        };
        let obliges = |range: Range<usize>| {
            range.into_iter().any(|at| s.is(at, OBLIGING) || s.is(at, &["needs", "has", "gets"]))
        };
        if clause.start == marker.at && (content < s.len()) {
            let subject = s.word(content);
            let is_wish = match subject {
                "i" => s.is(content + 1, &["want", "need", "expect", "prefer", "would", "always", "never"]),
                "i'll" | "i'm" | "i've" | "we'll" | "we're" => false,
                "can" | "could" | "would" | "will" if matches!(self.form, Form::Request(_)) => true,
                "it" | "he" | "she" | "they" | "there" | "it's" | "my" | "that" | "this" => {
                    let only = (content..s.len()).any(|at| s.is(at, &["only", "instead"]));
                    obliges(content..s.len()) || (subject == "it's" && only)
                }
                "the" | "a" | "an" if marker.sign != Sign::FromNowOn => {
                    let is_named = (content..s.len()).any(|at| s.is(at, &["called", "named", "known"]));
                    is_named || obliges(content..s.len())
                }
                // "From now on the server returns 404" is about a product.
                "the" if (content + 1..content + 3).any(|at| s.is(at, OF_PRODUCT)) => {
                    obliges(content..s.len())
                }
                "the" => !s.is_quoted(content + 1) && !s.is_quoted(content + 2),
                "" => !(s.is_quoted(content) && s.is(content + 1, &["will", "is", "has", "must", "are"])),
                _ => !s.is(content, ASKING) || s.is(content, &["do", "have", "don't"]),
            };
            let is_told = s.is(content, &["you"]) || s.is(content, VERBS);
            let is_foretold = marker.sign == Sign::Later && !is_told && will(content..s.len());
            return clause.begin_if(is_wish && !is_foretold);
        }
        // The marker ends an instruction: "use tabs from now on".
        let is_place = marker.sign == Sign::Later
            && (0..marker.at)
                .any(|at| s.is(at, &["where", "that", "which", "is", "be", "are", "was", "happens"]))
            && !obliges(0..marker.at);
        if marker.sign == Sign::NextTime || is_place || last.is_some_and(|last| last.start >= clause.wide) {
            return None;
        }
        if clause.start == marker.at && clause.boundary > 1 && self.is_kind_in_a_form(clause.boundary - 1) {
            return Some(self.past_fillers(0, marker.at));
        }
        let wide = clause.wide.min(self.instruction_before(marker.at));
        let narrow = (wide..marker.at).rev().find(|at| {
            s.is(*at, JOINING) && (s.is(at + 1, VERBS) || s.is(at + 1, &["don't", "never", "please"]))
        });
        let start = self.past_fillers(narrow.map_or(wide, |at| at + 1), marker.at);
        let is_verb = self.is_verb(start) || s.is(start, &["don't", "dont", "no"]);
        let instructs = match s.word(start) {
            "i" => s.is(start + 1, &["want", "need", "expect", "prefer", "would"]),
            "i'd" | "we'd" | "let's" | "lets" => true,
            "you" | "we" | "everyone" | "everybody" => !will(start..marker.at) && !s.is(start + 1, PAST),
            "every" | "each" | "all" | "any" => obliges(start..marker.at) || marker.sign == Sign::FromNowOn,
            word if OF_WORK.contains(&word) => obliges(start..marker.at),
            // "Would you mind using tabs from now on?"
            _ if matches!(self.form, Form::Request(asked) if asked == start) && goes_on(s, start) => true,
            word => {
                !SUBJECTS.contains(&word)
                    && is_verb
                    && (VERBS.contains(&word) || marker.sign == Sign::FromNowOn || word.starts_with("don"))
            }
        };
        let is_foretold = marker.sign == Sign::Later && will(start..marker.at);
        (instructs && !is_foretold && start < marker.at).then_some(start)
    }

    /// Whether the clause that ends at `end` names a kind of thing and a form for it: "branch names in lowercase".
    fn is_kind_in_a_form(&self, end: usize) -> bool {
        let s = self.sentence;
        let start = (0..end).rev().find(|at| s.mark(*at).is_some()).map_or(0, |at| at + 1);
        let start = self.past_fillers(start, end);
        let form = (start + 1..end).find(|at| s.is(*at, &["in", "with", "without", "only", "as"]));
        let is_bare = !s.is(start, SUBJECTS) && !s.is(start, VERBS) || s.is(start, OF_WORK);
        is_bare && form.is_some_and(|form| (start..form).any(|at| self.is_made(at)))
    }

    /// Returns the start of the instruction that ends at `at`. Commas of a list within it do not end it.
    pub(super) fn instruction_before(&self, at: usize) -> usize {
        let hard = (0..at).rev().find(|at| matches!(self.sentence.mark(*at), Some(':' | ';' | '—' | '–')));
        let start = self.past_fillers(hard.map_or(0, |at| at + 1), at);
        if self.sentence.is(start, VERBS) || self.sentence.is(start, &["don't", "i'd", "i"]) {
            start
        } else {
            at
        }
    }

    pub(super) fn preferred(&self, marker: &Marker, clause: Clause, was_rejected: bool) -> Option<usize> {
        let s = self.sentence;
        // "I'd rather have the blue button here" is about one thing.
        let is_one = s.is(marker.end(), &["have"]) && s.is(marker.end() + 1, &["the", "this", "that"]);
        if is_one && s.is(s.len() - 1, &["here", "there", "instead"]) {
            return None;
        }
        let at = marker.at;
        let rest = marker.end()..s.len();
        let compares = rest.clone().any(|at| s.is(at, &["over", "to", "rather", "instead"]));
        let is_third = s.word(at) == "prefers";
        match (s.word(at), s.word(clause.start)) {
            ("rather", "i'd" | "we'd" | "i" | "we") => return clause.begin_if(at <= clause.start + 2),
            ("preference", "my" | "our") => {
                let is_told = s.is(at + 1, &["is", "for"])
                    || s.reads(at + 1, &["would", "be"])
                    || s.mark(at + 1).is_some();
                return clause.begin_if(at <= clause.start + 2 && is_told);
            }
            ("rather" | "preference", _) => return None,
            _ => {}
        }
        let governed = if clause.start == at {
            let lasts = rest.clone().any(|at| s.is(at, &["everywhere", "throughout", "always"]));
            !is_third
                && !self.is_narrated(clause, was_rejected)
                && (s.word(at) == "prefer" || compares || lasts)
        } else {
            let subject = s.word(clause.start);
            let count = at - clause.start;
            match (subject, count) {
                ("i" | "we", 1) => !is_third,
                ("i" | "we", 2) => s.is(
                    at - 1,
                    &[
                        "would",
                        "generally",
                        "usually",
                        "strongly",
                        "really",
                        "much",
                        "also",
                        "always",
                        "tend",
                    ],
                ),
                ("i'd" | "we'd", 1 | 2) => true,
                ("i" | "we", 3) => s.reads(at - 2, &["tend", "to"]),
                ("our" | "the", 2) => is_third && s.is(at - 1, &["team"]),
                _ if s.is(at - 1, &["i", "we", "i'd"]) => {
                    s.is(clause.start, SCOPING) || s.is(clause.start, &["usually", "normally", "personally"])
                }
                _ => self.obliges(clause.start, at, marker) || self.is_scope(clause.wide, at),
            }
        };
        if !governed || (s.is(marker.end(), &["not"]) && clause.start != at) {
            return None;
        }
        // Choosing one of several proposals is not a way of working.
        const CHOICES: [&str; 16] = [
            "option", "one", "version", "variant", "approach", "draft", "design", "solution", "choice",
            "first", "second", "third", "latter", "former", "last", "proposal",
        ];
        let first = marker.end();
        let is_shown = s.is(first, &["the", "this", "that", "your", "these", "those"]);
        let is_once = s.is(first, &["if", "to"])
            && rest.clone().any(|at| s.is(at, &["this", "later", "now", "today", "tomorrow", "it"]));
        let is_habit = s.is(first, &["it"]) && s.is(first + 1, &["when", "if"]);
        let is_for_one = rest.clone().any(|at| {
            s.is(at, &["for", "in", "on"])
                && s.is(at + 1, &["this", "that"])
                && !s.is(at + 2, PLACES_OF_WORK)
                && !s.is(at + 2, &["kind", "sort", "type", "app", "language"])
        });
        let chooses = is_once
            || is_for_one
            || (is_shown && (first + 1..first + 4).any(|at| s.is(at, &CHOICES)))
            || (s.is(first, &["option", "it", "this", "them", "neither", "both"]) && !is_habit)
            || (s.is(first, &["that"])
                && !s.is(first + 1, &["you", "we", "all", "every", "the"])
                && !s.is(at.wrapping_sub(1), &["i'd", "we'd", "would"]))
            || s.is(s.len() - 1, &["here"])
            || s.word(first).is_empty() && !s.is_quoted(first);
        if chooses {
            return None;
        }
        Some(if clause.start == at || self.is_scope(clause.wide, at) { at } else { clause.start })
    }

    /// "don't … anymore", "we don't … here".
    pub(super) fn no_longer(&self, marker: &Marker, clause: Clause) -> Option<(Mode, usize)> {
        let s = self.sentence;
        let is_bare = clause.start == marker.at;
        let is_ours = clause.start + 1 == marker.at && s.is(clause.start, &["we", "i"]);
        let wants = s.is(marker.end(), &["want", "need", "like"]);
        let is_spared = clause.start + 1 == marker.at
            && s.is(clause.start, &["you"])
            && s.is(marker.end(), &["need", "have"])
            && s.is(marker.end() + 1, &["to"]);
        if !(is_bare || is_spared || (is_ours && (s.word(clause.start) == "we" || wants))) {
            return None;
        }
        let ends =
            (marker.end()..s.len()).find(|at| matches!(s.mark(*at), Some(';' | ':'))).unwrap_or(s.len());
        // "Don't bother with the old format, it isn't used any more."
        let other = (marker.end()..ends).find(|at| s.mark(*at) == Some(',') && s.is(at + 1, SUBJECTS));
        let ends = other.unwrap_or(ends);
        let is_over = (marker.end()..ends).any(|at| {
            s.is(at, &["anymore", "any-more", "nomore"])
                || (s.is(at, &["any"])
                    && s.is(at + 1, &["more", "longer"])
                    && !s.is(at + 2, &["than"])
                    && self.closes(at + 1))
                || (s.is(at, &["again"]) && self.closes(at) && is_bare)
        });
        if is_over {
            return Some((Mode::Stop, clause.start));
        }
        let is_absolute = (marker.end()..ends)
            .any(|at| s.reads(at, &["under", "any"]) || (s.is(at, &["ever"]) && self.closes(at)));
        if is_absolute && (is_bare || s.is(clause.start, &["we"])) {
            return Some((Mode::Never, clause.start));
        }
        let is_habit = is_ours && s.word(clause.start) == "we" && !s.is(marker.end(), HAPPENING);
        let here = (marker.end()..ends).any(|at| {
            s.is(at, &["here"])
                || (s.is(at, &["in", "on"])
                    && s.is(at + 1, &["this"])
                    && s.is(at + 2, &["repo", "repository", "project", "team", "codebase"]))
        });
        (is_habit && here && self.is_verb(marker.end())).then_some((Mode::Never, clause.start))
    }

    /// Whether the word at `at` ends its clause.
    pub(super) fn closes(&self, at: usize) -> bool {
        at + 1 >= self.sentence.len()
            || self.sentence.word(at + 1).is_empty()
            || self.sentence.is(at + 1, &["in", "please", "when", "on", "for", "at"])
            || self.sentence.is_filler(at + 1)
    }

    pub(super) fn remembered(&self, marker: &Marker, clause: Clause) -> Option<usize> {
        let s = self.sentence;
        let is_governed = clause.start == marker.at || self.obliges(clause.start, marker.at, marker);
        let is_governed = is_governed || (clause.start + 1 == marker.at && s.is(clause.start, &["do"]));
        let mut next = marker.end();
        if matches!(self.form, Form::Request(_)) && !s.is(next, &["to", "that"]) {
            return None;
        }
        let noun = s.word(next + 1);
        let noun = noun.strip_suffix("'s").or_else(|| noun.strip_suffix("’s")).unwrap_or(noun);
        if s.is(next, &["the", "a"]) && OF_PRODUCT.contains(&noun) {
            return None;
        }
        let is_announced = matches!(s.mark(next), Some(',' | ':' | '-' | '—' | '–'));
        if is_announced {
            next += 1;
        }
        let words = s.len().saturating_sub(next);
        let is_statement = match s.word(next) {
            "to" | "that" => words > 1,
            "when" | "how" | "what" | "where" | "who" | "why" | "if" | "which" | "me" | "us" => {
                is_announced && words > 2
            }
            "" => false,
            "about" => words > 1,
            _ => words > 2,
        };
        // A task for today is not a standing wish.
        let is_once = !s.is(next, &["that"])
            && !is_announced
            && (s.is(next, &["to"]) || s.is(marker.at, &["don't", "dont", "do"]))
            && (next..s.len()).any(|at| {
                s.is(at, &["today", "tonight", "tomorrow", "later", "lunch", "now", "afterwards"])
                    || (s.is(at, &["this", "it"])
                        && (self.closes(at) || s.is(at + 1, &["before", "after", "later"])))
                    || (s.is(at, &["this"]) && s.is(at + 1, &["afternoon", "morning", "evening", "week"]))
                    || (s.is(at, &["you're"]) && s.is(at + 1, &["done", "finished", "ready", "through"]))
                    || (s.is(at, &["chapter", "section", "line", "row", "figure", "page", "table", "slide"])
                        && s.word(at + 1).starts_with(|c: char| c.is_ascii_digit()))
                    || (s.is(at, &["for", "in", "on", "with", "after", "before"])
                        && s.is(at + 1, &["this"])
                        && !s.is(at + 2, PLACES_OF_WORK))
            });
        clause.begin_if(is_governed && is_statement && !is_once)
    }

    /// "Just so you know for the future: …".
    pub(super) fn informed(&self, marker: &Marker, clause: Clause) -> Option<usize> {
        let s = self.sentence;
        let ends = (marker.end()..s.len().min(marker.end() + 7)).find(|at| s.mark(*at).is_some())?;
        let lasts = s.is(marker.at, &["for"]) && ends == marker.end();
        let lasts = lasts
            || (marker.end()..ends).any(|at| {
                s.is(at, &["future", "later", "next"]) || s.is(at, &["sessions", "everyone", "always"])
            });
        clause.begin_if(clause.start == marker.at && lasts && s.len() > ends + 2)
    }
}
