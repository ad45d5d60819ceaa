//! Maxims and usages: "explicit is better than implicit", "rebase, don't merge", "one question at a time", "nothing gets
//! merged on Fridays".

use super::super::{Wish, WishParser};
use super::{ANSWERS, Context, MATERIALS, STYLE};
use crate::directive::Mode;
use crate::directive::words::{OF_WORK, RULE_NOUNS, SUBJECTS, VERBS};

/// Words for a form of names and texts.
const FORMS: &[&str] = table!("unmarked_forms");

/// Nouns for what a product has, and a team does not make.
const OF_PRODUCTS: &[&str] = table!("unmarked_of_products");

/// Participles of what a team does with its work.
const DONE: &[&str] = table!("unmarked_done");

/// Verbs that demand something of their subject.
const DUE: &[&str] = table!("unmarked_due");

/// Parts of an answer that have a place in it.
const POINTS: &[&str] = table!("unmarked_points");

impl WishParser<'_> {
    /// Returns the wish of a maxim or a usage.
    pub(super) fn maxim(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        if context.builds {
            return None;
        }
        // "In this repository" names a place of work, and no task.
        if let Some(wish) = self.labelled_rule(first).or_else(|| self.kind_has_form(first)) {
            return Some(wish);
        }
        if self.is_passing_from(first) {
            return None;
        }
        self.better_than(first)
            .or_else(|| self.rather_done(first))
            .or_else(|| self.one_at_a_time(first))
            .or_else(|| self.nothing_done(first))
            .or_else(|| self.whatever_needs(first))
            .or_else(|| self.bad_kind(first))
            .or_else(|| self.in_answers(first))
            .or_else(|| self.when_doing(first))
            .or_else(|| self.fed_up(first))
            .or_else(|| self.valued(first))
    }

    /// "Explicit is better than implicit.", "Readability beats speed."
    fn better_than(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if s.is(first, SUBJECTS)
            || s.is(first, &["the", "this", "that", "it", "these", "those", "your", "which", "mine"])
        {
            return None;
        }
        let better = self.find_near(first + 1, 4, &["is", "are"]).is_some_and(|be| {
            s.is(be + 1, &["better", "nicer", "clearer", "safer"]) && s.is(be + 2, &["than"])
        });
        let fewer = s.is(first, &["fewer", "less", "smaller", "shorter", "simpler"])
            && self
                .find_near(first + 1, 3, &["is", "are"])
                .is_some_and(|be| be > first + 1 && s.is(be + 1, &["better"]));
        if fewer {
            return Some(self.to_the_end(Mode::Prefer, first));
        }
        let beats = self.find_near(first + 1, 3, &["beats", "trumps", "beat"]).is_some();
        let is_number = (first..s.len()).any(|at| s.word(at).starts_with(|c: char| c.is_ascii_digit()));
        ((better || beats) && !is_number && s.len() < first + 14)
            .then(|| self.to_the_end(Mode::Prefer, first))
    }

    /// "Rebase, don't merge.", "Squash, never merge."
    fn rather_done(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let comma = (first + 1..first + 4).find(|at| s.mark(*at) == Some(','))?;
        let not = s.is(comma + 1, &["don't", "never", "not"]);
        let verb = s.is(first, VERBS) && s.is(comma + 2, VERBS);
        let is_pointed = (first..s.len()).any(|at| s.is(at, &["this", "that", "it", "these", "the", "them"]));
        (verb && not && !is_pointed && s.len() <= comma + 5)
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "One question at a time, please."
    fn one_at_a_time(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let one = s.is(first, &["one", "two", "ask"]);
        let at = (first + 1..s.len().min(first + 5)).any(|at| s.reads(at, &["at", "a", "time"]));
        (one && at).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Nothing gets merged on Fridays."
    fn nothing_done(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let subject = match s.word(first) {
            "nothing" | "nobody" | "none" => first + 1,
            "no" if !s.word(first + 1).is_empty() => first + 2,
            _ => return None,
        };
        let done = s.is(subject, &["gets", "get", "is", "are", "goes", "leaves"]) && s.is(subject + 1, DONE);
        let is_report = self.has_from(
            subject,
            &["since", "because", "yet", "today", "yesterday", "why", "anymore", "when", "but"],
        );
        (done && !is_report && s.len() > subject + 2).then(|| self.to_the_end(Mode::Never, first))
    }

    /// "File names are lower case with dashes.", "Test names read like sentences."
    fn kind_has_form(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if s.is(first, SUBJECTS)
            || s.is(first, &["the", "this", "these", "those", "that", "some", "many", "two"])
        {
            return None;
        }
        let verb = self.find_near(
            first + 1,
            4,
            &["are", "read", "look", "start", "end", "have", "tell", "carry", "use", "go"],
        )?;
        let named = self.is_plural(first, verb)
            && (first..verb).any(|at| {
                s.is(at, MATERIALS) || s.is(at, OF_WORK) || s.is(at, &["names", "functions", "messages"])
            });
        let end = (verb + 1..s.len()).find(|at| s.mark(*at).is_some()).unwrap_or(s.len());
        let formed = (verb + 1..end).any(|at| s.is(at, FORMS) || s.is(at, STYLE))
            || s.is(verb, &["read", "look"]) && s.is(verb + 1, &["like"])
            || s.is(verb, &["tell"]) && s.is(verb + 1, &["the", "users"]);
        let is_report = (verb + 1..s.len()).any(|at| {
            s.is(
                at,
                &[
                    "missing",
                    "wrong",
                    "broken",
                    "twice",
                    "off",
                    "currently",
                    "still",
                    "too",
                    "not",
                    "but",
                    "why",
                ],
            )
        });
        (named && formed && !is_report).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Anything that talks to the network needs a timeout.", "Every new flag needs an expiry date."
    fn whatever_needs(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let whatever = s.is(first, &["anything", "everything", "whatever", "whoever", "anyone", "everyone"])
            && s.is(first + 1, &["that", "which", "who", "you", "under", "in", "below", "with"])
            || s.is(first, &["anything", "everything"]) && s.word(first + 1).contains('-');
        let each = s.is(first, &["every", "each", "any", "all"])
            && (s.is(first + 1, &["new"]) || s.is(first + 1, OF_WORK) || s.is(first + 1, MATERIALS))
            && !(first + 1..first + 4).any(|at| s.is(at, OF_PRODUCTS));
        let verb = self.find_near(first + 2, 9, DUE)?;
        let is_report =
            self.has_from(verb + 1, &["been", "failed", "stuck", "lost", "why", "today", "because"]);
        ((whatever || each) && !is_report && s.len() > verb + 1).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "A test that sleeps is a broken test.", "A commit without a ticket gets reverted."
    fn bad_kind(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let kind = s.is(first, &["a", "an"]) && (s.is(first + 1, OF_WORK) || s.is(first + 1, MATERIALS));
        let limited = s.is(first + 2, &["that", "without", "with", "which"]);
        let verdict = self.find_near(first + 3, 8, &["is", "gets", "counts", "goes", "means"])?;
        let is_one = self.has_from(first, &["this", "yesterday", "today", "broke", "failing"]);
        (kind && limited && !is_one && s.len() > verdict + 1).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Put the answer in the first sentence.", "Number your questions.", "Don't end every message with a question."
    fn in_answers(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let leads = s.is(first, &["put", "start", "begin", "lead", "give", "open"])
            && (first + 1..first + 6).any(|at| s.is(at, POINTS))
            && (s.is(first + 1, &["with"]) || self.has_from(first + 2, &["first", "top", "beginning"]));
        let yours = self.is_imperative(first)
            && s.is(first + 1, &["your"])
            && (s.is(first + 2, ANSWERS) || s.is(first + 2, &["questions"]))
            && !self.has_from(first + 3, &["last", "previous", "above", "again"]);
        let each = (s.is(first, &["don't", "dont", "do"]))
            && (first + 1..s.len().min(first + 6)).any(|at| {
                s.is(at, &["every", "each", "all"])
                    && (s.is(at + 1, ANSWERS) || s.is(at + 1, &["your", "message"]))
            });
        if each {
            return Some(self.to_the_end(Mode::Never, first));
        }
        (leads || yours).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Cite the RFC when you rely on it.", "Admit it when you don't know."
    fn when_doing(&self, first: usize) -> Option<Wish> {
        const DEEDS: [&str; 19] = [
            "talk",
            "rely",
            "mention",
            "refer",
            "quote",
            "change",
            "touch",
            "add",
            "write",
            "use",
            "explain",
            "describe",
            "answer",
            "reply",
            "don't",
            "can't",
            "rename",
            "introduce",
            "delete",
        ];
        let s = self.sentence;
        let is_told = self.is_imperative(first)
            || s.is(first, &["cite", "quote", "admit", "link", "name", "tell", "ping"]);
        let when = self.find_near(first + 1, 8, &["when", "whenever"])?;
        let recurs = s.is(when + 1, &["you"]) && s.is(when + 2, &DEEDS);
        let is_one = (when + 3..s.len()).any(|at| s.is(at, &["this", "these", "that", "button", "form"]));
        (is_told && recurs && !is_one).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "One more house rule: reviews before merges.", "New in this project: …", "The agreement is that …"
    fn labelled_rule(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let colon = (first + 1..s.len().min(first + 8)).find(|at| s.mark(*at) == Some(':'));
        if let Some(colon) = colon {
            let is_rule = (first..colon)
                .any(|at| s.is(at, RULE_NOUNS) || s.is(at, &["agreement", "guideline", "guidelines"]));
            let is_new = s.is(first, &["new"])
                && s.is(first + 1, &["in", "here", "with"])
                && (first + 1..colon).any(|at| self.past_place(at).is_some());
            // "Validation rule: …" is a rule of a product.
            let is_ours = (first..colon).all(|at| {
                s.is(at, RULE_NOUNS)
                    || s.is(
                        at,
                        &[
                            "one",
                            "more",
                            "another",
                            "new",
                            "house",
                            "team",
                            "ground",
                            "golden",
                            "our",
                            "my",
                            "general",
                            "last",
                            "first",
                            "number",
                            "basic",
                            "standing",
                            "agreement",
                            "guideline",
                            "guidelines",
                            "of",
                            "thumb",
                            "here",
                            "for",
                            "you",
                            "and",
                        ],
                    )
            });
            return ((is_rule && is_ours || is_new) && s.len() > colon + 2)
                .then(|| Wish { mode: Mode::Always, tokens: colon + 1..s.len() });
        }
        let noun = self.find_near(first + 1, 3, &["agreement", "deal", "understanding"])?;
        let that = self.find_near(noun + 1, 5, &["is"]).filter(|at| s.is(at + 1, &["that"]))?;
        (s.len() > that + 3).then(|| self.to_the_end(Mode::Always, that + 2))
    }

    /// "I've had it with long comments.", "Enough unicode arrows in comments."
    fn fed_up(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let start = first + usize::from(s.is(first, &["i", "we"]) && s.is(first + 1, &["have"]));
        let had = (s.is(first, &["i've", "we've"]) || start > first)
            && (s.reads(start + 1, &["had", "it", "with"])
                || s.reads(start + 1, &["had", "enough", "of"])
                || s.reads(start + 1, &["seen", "enough"]));
        let tired = s.is(first, &["i'm", "we're"])
            && s.is(first + 1, &["sick", "tired", "fed"])
            && s.is(first + 2, &["of", "up", "and"]);
        let enough = s.is(first, &["enough"]) && self.is_kind(first + 1) && s.len() < first + 9;
        ((had || tired || enough) && s.len() > first + 2).then(|| self.to_the_end(Mode::Stop, first))
    }

    /// "I care more about readability than about speed.", "Nested callbacks make me dizzy."
    fn valued(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let compares = s.is(first, &["i", "we"])
            && s.is(first + 1, &["care", "trust", "value", "enjoy", "like", "think"])
            && self.find_near(first + 2, 6, &["more", "better", "higher"]).is_some()
            && self.has_from(first + 3, &["than"]);
        let wherever = s.is(first, &["i'd", "i", "we'd"])
            && self.has_from(first + 1, &["wherever", "whenever"])
            && self.has_from(first + 2, &["can", "possible"]);
        let annoys = !s.is(first, SUBJECTS)
            && !s.is(first, &["the", "this", "that", "these", "those", "it", "your"])
            && self
                .find_near(first + 1, 4, &["make", "makes", "drive", "drives", "give", "gives"])
                .is_some_and(|verb| s.is(verb + 1, &["me"]) && self.is_plural(first, verb));
        let helps = s.is(first, &["it'd", "it"])
            && self.find_near(first + 1, 4, &["help", "nice", "nicer", "great", "good", "lovely"]).is_some()
            && self.find_near(first + 2, 4, &["if"]).is_some_and(|at| {
                let recurs =
                    self.has_from(at + 1, &["each", "every", "always", "whenever", "general", "generally"]);
                recurs || self.is_kind(at + 1) || s.is(at + 1, &["your"]) && self.is_plural(at + 1, at + 4)
            });
        (compares || wherever || annoys || helps).then(|| self.to_the_end(Mode::Prefer, first))
    }
}
