//! Frames of duties, permissions and cases: "it's your job to …", "you have no permission to …", "should a test fail, …",
//! "in case of doubt, …"; and rules of a few words: "small commits", "replies: three sentences at most".

use super::super::{Wish, WishParser};
use super::{ANSWERS, Context, NEAT};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::SUBJECTS;

/// Phrases that charge the agent with a duty.
const CHARGING: &[&str] = table!("unmarked_charging");

/// Phrases that deny the agent a permission.
const DENYING: &[&str] = table!("unmarked_denying");

/// Phrases that grant the agent a permission.
const GRANTING: &[&str] = table!("unmarked_granting");

/// Phrases behind which a permission holds for good.
const WITHIN_LIMITS: &[&str] = table!("unmarked_limits");

/// Phrases that announce a fact to keep in mind.
const MINDING: &[&str] = table!("unmarked_minding");

/// Phrases with which a user begins an opinion.
const OPINIONS: &[&str] = table!("unmarked_opinions");

/// Phrases that begin a case.
const CASES: &[&str] = table!("unmarked_cases");

impl WishParser<'_> {
    /// Returns the wish of a sentence that begins with a case.
    pub(super) fn in_a_case(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        self.should_it(first, context).or_else(|| self.in_case(first, context))
    }

    /// Returns the wish of a sentence with a frame of a duty, a permission or an opinion.
    pub(super) fn framed(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        self.charged(first)
            .or_else(|| self.permitted(first))
            .or_else(|| self.minded(first))
            .or_else(|| self.any_day(first))
            .or_else(|| self.opined(first))
            .or_else(|| self.bare_kind(first, context))
            .or_else(|| self.answers_label(first))
    }

    /// "It's your job to keep the changelog.", "You're responsible for the release notes."
    fn charged(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let deed = first + s.reads_any(first, CHARGING)?;
        let is_deed = self.is_verb(deed) || goes_on(s, deed) || s.is(deed, &["the", "all"]);
        let is_once = s.is(deed, &["find", "fix", "look", "figure", "finish", "tell", "explain"]);
        (is_deed && !is_once && !s.is(deed + 1, &["this", "that"]))
            .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "You have no permission to publish packages.", "Feel free to refactor, as long as the tests pass."
    fn permitted(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if let Some(words) = s.reads_any(first, DENYING) {
            return self.is_verb(first + words).then(|| self.to_the_end(Mode::Never, first));
        }
        let deed = first + s.reads_any(first, GRANTING)?;
        let is_limited = (deed + 1..s.len()).any(|at| {
            let limit = s.reads_any(at, WITHIN_LIMITS).map(|words| at + words);
            limit.is_some_and(|end| {
                !(s.is(end, &["you"]) && s.is(end + 1, &["like", "want", "wish", "need", "can"]))
            })
        });
        let is_one = self.find_near(deed + 1, 4, &["this", "that", "it"]).is_some();
        (self.is_verb(deed) && is_limited && !is_one)
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "Don't lose sight of the fact that our users are on slow lines."
    fn minded(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let fact = first + s.reads_any(first, MINDING)?;
        let fact = fact + usize::from(s.is(fact, &["that"]));
        self.is_lasting_fact(fact, true).then(|| self.to_the_end(Mode::Remember, first))
    }

    /// "Give me boring code over clever code any day."
    fn any_day(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let end = s.len().saturating_sub(2);
        let is_any = s.is(end, &["any", "every"]) && s.is(end + 1, &["day", "time"]);
        let compares = (first + 1..end).any(|at| s.is(at, &["over", "rather", "before"]));
        (is_any && compares && !self.has_from(first, &["this", "that", "the"]))
            .then(|| Wish { mode: Mode::Prefer, tokens: first..s.len() })
    }

    /// "If it's up to me, we go with plain functions."
    fn opined(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let last = (first..s.len()).find(|at| {
            *at > first + 2 && s.mark(at - 1) == Some(',') && s.reads_any(*at, OPINIONS).is_some()
        });
        let nicer = self
            .find_near(first + 1, 5, &["is", "are"])
            .is_some_and(|be| s.is(be + 1, &["nicer", "better", "cleaner", "clearer"]));
        if last.is_some() && nicer && !s.is(first, &["this", "that", "it", "the", "these"]) {
            return Some(Wish { mode: Mode::Prefer, tokens: first..s.len() });
        }
        let words = s.reads_any(first, OPINIONS)?;
        let rest = self.content(first + words);
        let compares = (rest..s.len())
            .any(|at| s.is(at, &["over", "rather", "instead", "better", "beats", "wins", "nicer", "not"]));
        let is_one = (rest..s.len()).any(|at| s.is(at, &["this", "that", "these", "it"]));
        (rest + 2 < s.len() && compares && !is_one)
            .then(|| Wish { mode: Mode::Prefer, tokens: first..s.len() })
    }

    /// "Should a migration fail, restore the backup first."
    fn should_it(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let is_case = s.is(first, &["should"])
            && (s.is(first + 1, &["a", "an", "any", "you", "something", "anything", "there"])
                || self.is_made(first + 1));
        let comma = (first + 2..s.len().min(first + 14)).find(|at| s.mark(*at) == Some(','))?;
        let what = self.content(comma + 1);
        (is_case && self.is_imperative(what) && !context.builds)
            .then(|| Wish { mode: self.mode_at(what), tokens: first..s.len() })
    }

    /// "In case of conflicting requirements, the ticket wins."
    fn in_case(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let case = first + s.reads_any(first, CASES)?;
        let comma = (case + 1..s.len().min(case + 9)).find(|at| s.mark(*at) == Some(','))?;
        let is_one = (case..comma).any(|at| s.is(at, &["the", "this", "that", "these", "my"]));
        let what = self.content(comma + 1);
        let is_ruled = self.instructs(what)
            || self
                .find_near(what + 1, 4, &["wins", "decides", "counts", "comes", "goes", "has", "applies"])
                .is_some();
        (is_ruled && !is_one && !context.builds)
            .then(|| Wish { mode: self.mode_at(what), tokens: first..s.len() })
    }

    /// "Small pull requests.", "Short functions, descriptive names."
    fn bare_kind(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        if context.builds || !s.is(first, NEAT) || s.is(first, SUBJECTS) {
            return None;
        }
        let end = (first + 1..s.len()).find(|at| s.mark(*at).is_some()).unwrap_or(s.len());
        let is_kind = end <= first + 4
            && self.is_plural(end - 1, end)
            && (first + 1..end).all(|at| self.is_made(at) || s.is(at, &["pull", "unit"]));
        (is_kind && end > first + 1).then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "Replies: no more than three sentences."
    fn answers_label(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if s.mark(first + 1) != Some(':') {
            return None;
        }
        let is_label = (s.is(first, ANSWERS) || self.is_made(first) && s.word(first).ends_with('s'))
            && s.mark(first + 1) == Some(':');
        let rule = self.content(first + 2);
        let is_bound = s.reads(rule, &["no", "more", "than"])
            || s.is(rule, &["max", "maximum", "short", "brief", "always", "never", "only", "one"])
            || s.reads(rule, &["at", "most"]);
        let is_one = s.is(rule + 1, &["the", "this", "that", "two", "my"]);
        (is_label && is_bound && !is_one).then(|| self.to_the_end(self.mode_of_bound(rule), first))
    }

    /// Returns the mode of a rule that may begin with "no more than", which is a bound and not a ban.
    fn mode_of_bound(&self, at: usize) -> Mode {
        if self.sentence.reads(at, &["no", "more", "than"]) { Mode::Always } else { self.mode_at(at) }
    }
}
