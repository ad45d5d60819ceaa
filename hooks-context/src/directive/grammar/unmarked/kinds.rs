//! Rules about kinds of things: "make small commits", "this repo uses pnpm", "new files always get a header",
//! "your answers should come first", "anything you delete, you mention".

use super::super::{Wish, WishParser};
use super::{ANSWERS, Context, NEAT, STATES, STATIVE, STYLE, TERSE};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{HAPPENING, OF_WORK, PLACES_OF_WORK, RULE_NOUNS, SUBJECTS};

/// Verbs with which a project states its tools and styles.
const FOLLOWING: &[&str] = table!("unmarked_following");

/// Words with which a statement about a project is a report.
const REPORTING: &[&str] = &[
    "but",
    "because",
    "why",
    "still",
    "currently",
    "old",
    "outdated",
    "wrong",
    "yet",
    "while",
    "which",
    "when",
    "too",
    "much",
];

impl WishParser<'_> {
    /// Returns the wish of a rule about a project, or about all answers.
    pub(super) fn kinds_here(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        if context.builds {
            return None;
        }
        self.place_follows(first).or_else(|| self.place_is(first)).or_else(|| self.answers_due(first))
    }

    /// Returns the wish of a rule about a kind of thing.
    pub(super) fn kinds(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        if context.builds {
            return None;
        }
        self.neat(first)
            .or_else(|| self.kinds_always(first))
            .or_else(|| self.anything_you(first))
            .or_else(|| self.never_allowed(first))
            .or_else(|| self.adhered(first))
            .or_else(|| self.not_kept(first))
    }

    /// "Stick to the existing style.", "Follow our naming conventions."
    fn adhered(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let to = s.is(first + 1, &["to", "with", "by"]);
        let adheres = s.is(first, &["stick", "adhere", "conform", "keep", "stay"]) && to
            || s.is(first, &["follow", "respect", "obey", "match"]);
        let object = first + 1 + usize::from(to);
        let is_rule =
            self.find_near(object, 5, RULE_NOUNS).is_some() || (object..object + 3).any(|at| s.is(at, STYLE));
        (adheres && is_rule && !s.is(object, &["this", "these", "that"]))
            .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Don't keep asking whether to continue."
    fn not_kept(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let not = s.is(first, &["don't", "dont"]) || s.reads(first, &["do", "not"]);
        let verb = first + 1 + usize::from(s.is(first, &["do"]));
        let on = verb + 1 + usize::from(s.is(verb + 1, &["on"]));
        let keeps = s.is(verb, &["keep", "go", "start", "continue"]) && goes_on(s, on);
        (not && keeps && !s.is(on + 1, &["this", "that", "it", "the"]))
            .then(|| self.to_the_end(Mode::Stop, first))
    }

    /// "This repo uses pnpm."
    fn place_follows(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = first + 2 + usize::from(s.is(first + 2, &["only", "strictly"]));
        let follows = s.is(first, &["this", "our"])
            && s.is(first + 1, PLACES_OF_WORK)
            && s.is(verb, FOLLOWING)
            && !s.word(verb + 1).is_empty();
        let is_report = self.has_from(verb + 1, REPORTING) || s.len() > verb + 10;
        (follows && !is_report).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "This is a pnpm project, so no npm commands."
    fn place_is(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is = s.reads(first, &["this", "is"]) || s.is(first, &["we're"]) || s.reads(first, &["we", "are"]);
        let place = self.find_near(first + 2, 5, PLACES_OF_WORK)?;
        let so = place + 1 + usize::from(s.mark(place + 1).is_some());
        let told = so + usize::from(s.is(so, &["so", "hence", "therefore"]));
        let instructs = self.instructs(told) && (s.is(told, &["no", "only"]) || !s.is(told, SUBJECTS));
        (is && so > place + 1 && instructs && !self.is_passing_from(told))
            .then(|| Wish { mode: self.mode_at(told), tokens: first..s.len() })
    }

    /// "Make small commits.", "Write short functions."
    fn neat(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let makes = s.is(first, &["make", "do", "write", "keep", "open", "send", "submit", "create", "push"]);
        if !makes {
            return None;
        }
        let noun = first + 1 + (first + 1..first + 3).take_while(|at| s.is(*at, NEAT)).count();
        let end = (noun..s.len()).find(|at| s.mark(*at).is_some()).unwrap_or(s.len());
        let is_plural = self.is_plural(end - 1, end) && end <= noun + 2;
        let is_work = (noun..end).any(|at| self.is_made(at));
        (noun > first + 1 && noun < end && is_plural && is_work).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "New source files always get the licence header.", "Dates always go through `formatDate`."
    fn kinds_always(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let adverb = self.find_near(first + 1, 7, &["always", "never"])?;
        // "Money is always a number of cents in our code."
        let is_here =
            (adverb + 1..s.len()).any(|at| self.past_place(at).is_some() && s.is(at + 1, &["our", "this"]));
        let is_there = s.is(adverb - 1, &["is", "are"]) && is_here && !s.is(first, SUBJECTS);
        if is_there && !self.has_from(adverb, REPORTING) && !s.is(adverb + 1, STATES) {
            return Some(
                self.to_the_end(if s.is(adverb, &["never"]) { Mode::Never } else { Mode::Always }, first),
            );
        }
        let is_bare = !s.is(first, SUBJECTS) && !s.is(first, HAPPENING);
        let be = adverb - usize::from(s.is(adverb - 1, &["are"]));
        let is_kind = be > first && self.is_plural(first, be) && (first..adverb).any(|at| self.is_made(at));
        let is_report = s.is(adverb + 2, STATES) || self.has_from(adverb, REPORTING);
        let acts = s.is(adverb + 1, STATIVE)
            && !s.is(adverb + 1, &["are", "is", "end", "have"])
            && !is_report
            || s.is(adverb + 1, STATIVE) && self.is_stated(adverb + 1)
            || be < adverb && self.is_stated(be)
            || be < adverb
                && s.is(adverb + 1, &["part", "mixed", "optional", "enough", "welcome", "edited", "touched"]);
        let mode = if s.is(adverb, &["never"]) { Mode::Never } else { Mode::Always };
        (is_bare && is_kind && acts).then(|| self.to_the_end(mode, first))
    }

    /// "The answer should come first, the explanation afterwards."
    fn answers_due(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let noun = first + usize::from(s.is(first, &["the", "your", "all", "any", "every"]));
        let modal = noun + 1;
        let is_due = s.is(noun, ANSWERS) && s.is(modal, &["should", "must", "shouldn't", "mustn't", "need"]);
        let is_placed = s.is(modal + 1, &["come", "go", "start", "begin", "end"])
            && s.is(modal + 2, &["first", "last", "with", "before", "after"]);
        let is_styled = s.is(modal + 1, &["be", "stay", "to", "not"])
            && (modal + 2..modal + 5).any(|at| s.is(at, TERSE) || s.is(at, STYLE));
        let is_yours = s.is(first, &["your"]) && self.is_plural(noun, modal);
        let negated = s.is(modal, &["shouldn't", "mustn't"]) || s.is(modal + 1, &["not", "never"]);
        let mode = if negated { Mode::Never } else { Mode::Always };
        (is_due && (is_placed || is_styled || is_yours)).then(|| self.to_the_end(mode, first))
    }

    /// "Anything you delete, you mention in the summary."
    fn anything_you(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["anything", "everything", "whatever"]) {
            return None;
        }
        let comma = (first + 2..s.len().min(first + 9)).find(|at| s.mark(*at) == Some(','))?;
        let is_any = s.is(first + 1, &["you", "that"]);
        let what = self.content(comma + 1);
        let told = what + usize::from(s.is(what, &["you"]));
        (is_any && self.is_imperative(told)).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Mocks are never allowed in our integration tests."
    fn never_allowed(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let be = self.find_near(first + 1, 4, &["are", "is"])?;
        let is_barred = s.is(be + 1, &["never", "not"])
            && s.is(be + 2, &["allowed", "acceptable", "permitted", "okay", "ok", "welcome", "tolerated"]);
        let is_kind = !s.is(first, SUBJECTS) && (first..be).any(|at| self.is_made(at) || s.is(at, STYLE));
        let is_here = (be + 3..s.len()).any(|at| {
            s.is(at, OF_WORK) || s.is(at, &["in", "inside", "within"]) || self.past_place(at).is_some()
        });
        (is_barred && is_kind && is_here).then(|| self.to_the_end(Mode::Never, first))
    }
}
