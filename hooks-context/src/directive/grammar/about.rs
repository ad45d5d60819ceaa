//! Rules and wishes that a sentence only mentions: it withdraws them, or writes them into a file or a tool.

use std::ops::Range;

use super::{Form, WishParser};
use crate::directive::words::{
    ARTEFACTS, AUTHORING, NAMING, NO_VERBS, OF_PRODUCT, OWN, RULE_NOUNS, SUBJECTS, TEXTING, VERBS,
    WITHDRAWING,
};

impl WishParser<'_> {
    /// Whether the sentence only mentions the words at `at`: "Undo: always …", "Add a rule to eslint: always
    /// …".
    pub(super) fn is_talked_about(&self, at: usize) -> bool {
        let s = self.sentence;
        let begins = (0..at).rev().find(|at| s.mark(*at) == Some(';')).map_or(0, |at| at + 1);
        let begins = match self.form {
            Form::Request(start) if start <= at => start.max(begins),
            _ => self.content(begins),
        };
        if let Some(colon) = (begins..at).rev().find(|at| s.mark(*at) == Some(':')) {
            let head = (begins..colon)
                .rev()
                .find(|at| matches!(s.mark(*at), Some(',' | ':' | '—' | '–')))
                .map_or(begins, |at| self.content(at + 1));
            if self.is_head_of_talk(head..colon) {
                return true;
            }
        }
        let comma = (begins..at).rev().find(|at| matches!(s.mark(*at), Some(',' | '—' | '–' | ':')));
        let begins = comma.map_or(begins, |comma| self.content(comma + 1));
        let takes_back = s.is(begins, WITHDRAWING) && begins < at;
        takes_back && self.names_a_wish(begins + 1..at)
    }

    /// Whether the words at `at` describe what a thing does that the sentence asks to be made: "Implement a reminder: remember
    /// the last page."
    pub(super) fn is_of_the_product(&self, at: usize) -> bool {
        let s = self.sentence;
        let first = match self.form {
            Form::Request(start) => start,
            _ => self.content(0),
        };
        // A line of a log: "WARNING: never use -nodes in production".
        let is_logged = (0..at)
            .any(|at| s.mark(at) == Some(':') && at > 0 && s.is(at - 1, &["warning", "error", "fatal"]));
        if is_logged || s.reads(first, &["in", "an", "ideal", "world"]) {
            return true;
        }
        // "When the button is clicked, always reset the counter."
        let is_event = s.is(first, &["when", "if", "once", "whenever", "after"])
            && s.is(first + 1, &["the", "a", "an", "any"])
            && s.is(first + 2, OF_PRODUCT)
            && first + 2 < at;
        let begins =
            s.is(first, &["implement", "develop", "design"]) && !s.is(first + 1, &["this", "that", "it"]);
        let makes =
            begins || s.is(first, &["build", "create"]) && s.is(first + 1, &["a", "an", "the", "some"]);
        is_event || makes && (first..at).any(|at| s.mark(at) == Some(':'))
    }

    fn is_head_of_talk(&self, head: Range<usize>) -> bool {
        let s = self.sentence;
        let verb = head.start;
        let is_noted = head.clone().any(|at| s.is(at, &["down", "memory", "decisions", "your", "yourself"]));
        let is_text =
            s.is(verb, NAMING) || s.is(verb, &["gist", "wording", "content", "body", "slogan", "excerpt"]);
        let names_text = head.clone().any(|at| s.is(at, ARTEFACTS) || s.is(at, NAMING));
        let writes =
            head.clone().any(|at| s.is(at, &["write", "put", "print", "display", "reads", "says", "read"]));
        if s.is(verb, TEXTING) || (is_text && head.len() == 1) || (names_text && writes && !is_noted) {
            return true;
        }
        if s.is(verb, WITHDRAWING) {
            return head.len() < 4 || self.names_a_wish(verb + 1..head.end);
        }
        if !s.is(verb, AUTHORING) || is_noted {
            return false;
        }
        let is_tool = |at: usize| s.is(at, ARTEFACTS);
        // A rule with a name, or one that is added to something.
        let rule = head.clone().find(|at| s.is(*at, RULE_NOUNS));
        let is_named = rule.is_some_and(|rule| {
            (verb + 1..rule)
                .any(|at| !s.is(at, OWN) && !s.is(at, NO_VERBS) && !s.is(at, SUBJECTS) && !s.is(at, VERBS))
        });
        let goes_into = rule.is_some_and(|rule| {
            (rule + 1..head.end).any(|at| {
                s.is(at, &["to", "in", "into", "for", "on"]) && !s.is(at + 1, &["you", "us", "this", "our"])
            })
        });
        let is_written =
            rule.is_some() && !s.is(verb, &["add", "make", "set", "put", "need", "want", "include"]);
        head.clone().any(is_tool) || is_written || is_named || goes_into
    }

    /// Whether `words` mean a rule or an earlier statement.
    fn names_a_wish(&self, words: Range<usize>) -> bool {
        let s = self.sentence;
        words.into_iter().any(|at| {
            s.is(at, RULE_NOUNS)
                || s.is(
                    at,
                    &[
                        "about", "what", "decision", "request", "wish", "thing", "habit", "earlier",
                        "previous",
                    ],
                )
        })
    }
}
