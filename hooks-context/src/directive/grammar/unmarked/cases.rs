//! Rules for cases: "if a file gets longer than 300 lines, split it", "for new code, use TypeScript", "at the end of each
//! task, list the changed files", "without tests nothing gets merged".

use super::super::{Wish, WishParser};
use super::{Context, RULED};
use crate::directive::Mode;
use crate::directive::words::{OF_PRODUCT, RECURRING, VERBS};

/// Words that make a case one of many.
const ANY: &[&str] = &["a", "an", "any", "each", "every", "all"];

impl WishParser<'_> {
    /// Returns the wish of a rule for a case.
    pub(super) fn cases(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        const HEADS: [&str; 14] = [
            "at", "once", "when", "whenever", "if", "after", "before", "for", "in", "on", "with", "to",
            "behind", "without",
        ];
        if context.builds || !self.sentence.is(first, &HEADS) {
            return None;
        }
        self.ends_of_work(first)
            .or_else(|| self.if_any(first))
            .or_else(|| self.if_you_change(first))
            .or_else(|| self.for_any(first))
            .or_else(|| self.with_every(first))
            .or_else(|| self.without_it(first))
    }

    /// Returns the start of the instruction behind the comma of a case.
    fn told_behind(&self, first: usize) -> Option<usize> {
        let s = self.sentence;
        let comma = (first + 2..s.len().min(first + 16)).find(|at| s.mark(*at) == Some(','))?;
        let what = self.content(comma + 1);
        let what = what + usize::from(s.is(what, &["then"]));
        (self.is_imperative(what) || s.is(what, VERBS)).then_some(what)
    }

    fn ruled_as(&self, what: usize, first: usize) -> Wish {
        Wish { mode: self.mode_at(what), tokens: first..self.sentence.len() }
    }

    /// "At the end of each task, list the changed files.", "Once you're done with a task, summarise it."
    fn ends_of_work(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let at_end = s.is(first, &["at"])
            && s.is(first + 1, &["the"])
            && s.is(first + 2, &["end", "start", "beginning", "top", "close"])
            && s.is(first + 3, &["of"])
            && s.is(first + 4, ANY);
        let is_done = s.is(first, &["once", "when", "after", "whenever"])
            && s.is(first + 1, &["you're", "you've"])
            && s.is(first + 2, &["done", "finished", "through"])
            && s.is(first + 3, &["with"])
            && s.is(first + 4, ANY);
        let finishes = s.is(first, &["once", "when", "whenever", "after", "before"])
            && s.is(first + 1, &["you"])
            && s.is(first + 2, &["finish", "complete", "start", "begin", "close", "open", "pick"])
            && (s.is(first + 3, ANY) || s.is(first + 3, &["something", "anything"]));
        if let Some(what) = self.told_behind(first).filter(|_| finishes) {
            return Some(self.ruled_as(what, first));
        }
        let is_work = (first + 5..first + 8).any(|at| s.is(at, RECURRING) || self.is_made(at));
        let what = self.told_behind(first)?;
        ((at_end || is_done) && is_work).then(|| self.ruled_as(what, first))
    }

    /// "If a file gets longer than 300 lines, split it."
    fn if_any(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_case =
            s.is(first, &["if", "when", "whenever", "once"]) && s.is(first + 1, &["a", "an", "any"]);
        let is_product = (first + 2..first + 5).any(|at| s.is(at, OF_PRODUCT));
        let is_work = (first + 2..first + 5)
            .any(|at| self.is_made(at) || s.is(at, &["command", "step", "build", "job"]));
        let what = self.told_behind(first)?;
        (is_case && is_work && !is_product && !self.is_passing_from(first))
            .then(|| self.ruled_as(what, first))
    }

    /// "If you change the schema, write a migration."
    fn if_you_change(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_case =
            s.is(first, &["if", "when", "whenever", "before", "after"]) && self.is_change(first + 1);
        let what = self.told_behind(first)?;
        let is_once = s.is(what, &["tell", "let"]) && self.has_from(what, &["done"]);
        (is_case && !is_once && !self.is_passing_from(first)).then(|| self.ruled_as(what, first))
    }

    /// "For new code, use TypeScript.", "For anything security related, ask me.", "In reviews, be blunt."
    fn for_any(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["for", "in", "on", "with", "at"]) || self.is_passing_from(first) {
            return None;
        }
        let comma = (first + 2..s.len().min(first + 9)).find(|at| s.mark(*at) == Some(','))?;
        let is_any = s.is(first + 1, &["anything", "everything", "any", "all", "every", "new"]);
        let is_made = (first + 1..comma).any(|at| self.is_made(at));
        let is_bare = is_made && comma == first + 2 && s.word(first + 1).ends_with('s');
        let is_one = (first + 1..comma).any(|at| s.is(at, &["the", "this", "that", "these", "my"]));
        let what = self.content(comma + 1);
        let ruled = (what..s.len()).any(|at| s.is(at, RULED)) && !self.is_imperative(what);
        let instructs = self.is_imperative(what) || s.is(what, &["be", "no", "only"]) || ruled;
        let is_task =
            s.is(what, &["add", "create", "fix", "implement", "write", "build", "make", "find", "remove"]);
        let is_thing = s.is(first + 1, &["anything", "everything"]) || is_made && is_any || is_bare;
        if is_one || !is_thing || !instructs || is_task {
            return None;
        }
        let mode =
            if ruled && self.has_from(what, &["forbidden", "banned", "prohibited", "taboo", "disallowed"]) {
                Mode::Never
            } else {
                self.mode_at(what)
            };
        Some(Wish { mode, tokens: first..s.len() })
    }

    /// "With every feature comes a test.", "To every bug belongs a test."
    fn with_every(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_every = s.is(first, &["with", "to", "for", "behind"]) && s.is(first + 1, &["every", "each"]);
        let comes = self.find_near(first + 2, 4, &["comes", "goes", "belongs", "come", "there's"])?;
        (is_every && (first + 2..comes).any(|at| self.is_made(at)) && s.len() > comes + 1)
            .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Without tests nothing gets merged.", "Without a review, no release."
    fn without_it(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let bars = (first + 1..s.len().min(first + 7))
            .find(|at| s.is(*at, &["nothing", "no", "nobody", "don't"]))?;
        let is_made = (first + 1..s.len()).any(|at| self.is_made(at));
        (s.is(first, &["without"]) && is_made && bars > first + 1 && !self.is_passing_from(first))
            .then(|| Wish { mode: Mode::Never, tokens: first..s.len() })
    }
}
