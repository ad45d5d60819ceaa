//! Wishes in a frame around the deed: "I expect you to …", "I'd appreciate it if you didn't …", "I wish you would …",
//! "it's important that you don't …", "I want commit messages in English".

use super::super::{Wish, WishParser};
use super::{Context, MATERIALS, STYLE, TERSE};
use crate::directive::Mode;
use crate::directive::words::{GLAD, OF_WORK, WEIGHTY};

/// Verbs with which a user wants something of the agent.
const WANTING: &[&str] = table!("unmarked_wanting");

/// Verbs for what a habit of the agent does to the user.
const ANNOYING: &[&str] = table!("unmarked_annoying");

/// Verbs with which a user lets work through.
const ACCEPTING: &[&str] = table!("unmarked_accepting");

/// Words that make a deed one of every time.
const EACH: &[&str] = table!("unmarked_each");

/// Words that point at one thing, which a wish for one task is about.
const ONE: &[&str] = &["the", "this", "that", "these", "those", "my", "here"];

/// Words that negate the deed in a frame.
const NEGATED: &[&str] =
    &["don't", "didn't", "wouldn't", "not", "never", "doesn't", "no", "nobody", "nothing"];

impl WishParser<'_> {
    /// Returns the wish of a sentence that frames a deed of the agent.
    pub(super) fn wanted(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let may_begin =
            s.is(first, &["i", "i'd", "i'm", "we", "we'd", "it", "it's", "it'd", "what", "all", "that's"]);
        if !may_begin || self.is_passing_from(first) {
            return None;
        }
        self.wanted_deed(first)
            .or_else(|| self.glad_if(first))
            .or_else(|| self.wished(first))
            .or_else(|| self.annoyed_when(first))
            .or_else(|| self.weighty_that(first))
            .or_else(|| self.wanted_kind(first, context))
            .or_else(|| self.unwanted_sight(first))
            .or_else(|| self.happier_with(first))
            .or_else(|| self.refused(first))
    }

    /// "I won't accept pull requests without tests.", "I no longer want to see print debugging."
    fn refused(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_mine = s.is(first, &["i", "we"]);
        let no_longer = s.reads(first + 1, &["no", "longer"]) && s.is(first + 3, &["want", "need", "like"]);
        if is_mine && no_longer && !self.points_near(first + 4, ONE) {
            return Some(self.to_the_end(Mode::Stop, first));
        }
        let refuses = s.is(first + 1, &["won't", "don't", "can't"]) && s.is(first + 2, ACCEPTING);
        let object = first + 3;
        let is_general = self.is_kind(object)
            || s.is(object, &["any"])
            || self.find_near(object, 6, &["without", "that", "unless"]).is_some();
        (is_mine && refuses && is_general && !self.points_near(object, ONE))
            .then(|| self.to_the_end(Mode::Never, first))
    }

    /// "I expect you to run the tests before you finish.", "I don't want you to touch the legacy folder."
    fn wanted_deed(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = self.past_adverbs(first + 1);
        let is_negated = s.is(verb, &["don't", "never"]) || s.reads(verb, &["do", "not"]);
        let verb = if is_negated { verb + 1 + usize::from(s.is(verb, &["do"])) } else { verb };
        let asks = s.is(first, &["i", "we"]) && s.is(verb, WANTING) && s.reads(verb + 1, &["you", "to"]);
        let deed = verb + 3;
        if !asks || !self.is_verb(deed) {
            return None;
        }
        if is_negated {
            let is_ban = s.is(verb, &["want", "expect"]) && !self.points_near(deed + 1, &["this", "that"]);
            return is_ban.then(|| self.to_the_end(Mode::Never, first));
        }
        let is_one = self.points_near(deed + 1, ONE);
        let recurs = (deed + 1..s.len()).any(|at| {
            (s.is(at, &["before", "after", "when", "whenever", "if"]) && s.is(at + 1, &["you"]))
                || s.is(at, EACH)
        });
        let is_standing = if s.is(verb, &["expect"]) { recurs || !is_one } else { recurs && !is_one };
        is_standing.then(|| self.to_the_end(Mode::Always, first))
    }

    /// "I'd appreciate it if you didn't reformat whole files.", "I'd love it if every function had a docstring."
    fn glad_if(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let end = self.find_near(first + 1, 8, &["if"])?;
        let is_would = s.is(first, &["i'd", "we'd", "it'd", "it's"])
            || self.find_near(first + 1, 2, &["would", "helps", "help", "appreciate"]).is_some();
        if !is_would || !(first + 1..end).any(|at| s.is(at, GLAD) || s.is(at, &["helps", "help"])) {
            return None;
        }
        let who = end + 1;
        let negated = (who..who + 3).any(|at| s.is(at, NEGATED));
        let mode = if negated { Mode::Never } else { Mode::Prefer };
        if s.is(who, &["every", "each", "all", "no", "nobody", "any"]) {
            return Some(self.to_the_end(mode, first));
        }
        if !s.is(who, &["you", "we"]) || self.points_near(who + 1, &["this", "that", "these"]) {
            return None;
        }
        let is_general = negated
            || self.is_kind(who + 2)
            || (who + 1..s.len()).any(|at| s.is(at, EACH) || s.is(at, STYLE) || s.is(at, TERSE));
        (is_general && !self.points_near(who + 2, ONE)).then(|| self.to_the_end(mode, first))
    }

    /// "I wish you would ask before installing things."
    fn wished(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let wish = self.past_adverbs(first + 1);
        if !s.is(first, &["i", "we"]) || !s.is(wish, &["wish"]) {
            return None;
        }
        let would = match s.word(wish + 1) {
            "you" => wish + 2,
            "you'd" => wish + 1,
            _ => return None,
        };
        let is_asked = s.is(would, &["would", "wouldn't", "didn't", "could", "you'd"]);
        let negated = (would..would + 2).any(|at| s.is(at, NEGATED));
        let mode = if negated { Mode::Never } else { Mode::Always };
        (is_asked && !self.points_near(would + 2, ONE)).then(|| self.to_the_end(mode, first))
    }

    /// A habit that bothers the user: "it annoys me when you leave scratch files behind".
    fn annoyed_when(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = self.past_adverbs(first + 1);
        let is_annoyed = s.is(first, &["it"]) && s.is(verb, ANNOYING) && s.is(verb + 1, &["me", "us"]);
        let when = self.find_near(verb + 2, 4, &["when", "if", "that"])?;
        let is_yours = s.is(when + 1, &["you", "people", "a", "an"]) || self.is_kind(when + 1);
        (is_annoyed && is_yours && !self.points_near(when + 2, ONE))
            .then(|| self.to_the_end(Mode::Never, first))
    }

    /// "It's important that you don't log personal data."
    fn weighty_that(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is = match s.word(first) {
            "it's" => first,
            "it" if s.is(first + 1, &["is"]) => first + 1,
            _ => return None,
        };
        let that = self.find_near(is + 1, 6, &["that"])?;
        let is_weighty = (is + 1..that).any(|at| s.is(at, WEIGHTY) && !s.is(at - 1, &["not"]));
        let who = that + 1;
        let is_general = s.is(who, &["every", "each", "all", "no", "nobody", "any"]);
        let is_ours = s.is(who, &["you", "we"]) && !self.points_near(who + 1, ONE);
        let negated = (who..who + 2).any(|at| s.is(at, NEGATED));
        let mode = if negated { Mode::Never } else { Mode::Always };
        (is_weighty && (is_general || is_ours)).then(|| self.to_the_end(mode, first))
    }

    /// "I want all logs in JSON format.", "What I want is tests for each change."
    fn wanted_kind(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let i = if s.is(first, &["what", "all"]) { first + 1 } else { first };
        let verb = self.past_adverbs(i + 1);
        if context.builds || !s.is(i, &["i", "we"]) || !s.is(verb, WANTING) {
            return None;
        }
        let is_compared =
            (verb + 1..s.len()).any(|at| s.mark(at) == Some(',') && s.is(at + 1, &["not", "no"]));
        if i > first && is_compared && !self.points_near(verb + 1, ONE) {
            return Some(self.to_the_end(Mode::Prefer, first));
        }
        let object = if i > first { self.find_near(verb + 1, 2, &["is", "are"])? + 1 } else { verb + 1 };
        let is_all = s.is(object, &["all", "every", "each", "no", "only"]);
        let ends = self.object_end(object);
        let is_made = (object..ends).any(|at| self.is_made(at));
        let is_many = is_all || self.is_plural(ends - 1, ends);
        let is_so = s.is(ends, &["in", "as", "with", "without", "to", "under", "below", "for", "before"]);
        let is_each = (ends..s.len()).any(|at| s.is(at, EACH));
        let is_one = s.is(object, &["a", "an"]) && !is_each;
        let holds = is_made && (is_many || is_each) && is_so && !is_one && !self.points_near(object, ONE);
        let mode = if s.is(object, &["no"]) { Mode::Never } else { Mode::Always };
        holds.then(|| self.to_the_end(mode, first))
    }

    /// "I don't want to see any `console.log` in commits."
    fn unwanted_sight(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let not = self.past_adverbs(first + 1);
        let refuses = s.is(first, &["i", "we"]) && s.is(not, &["don't", "never"]) && s.is(not + 1, &["want"]);
        let sees = s.is(not + 2, &["to"]) && s.is(not + 3, &["see", "find", "read", "have"]);
        let object = if sees { not + 4 } else { not + 2 };
        // "I don't want any new global state."
        if refuses
            && !sees
            && s.is(object, &["any"])
            && !self.points_near(object, ONE)
            && s.len() > object + 1
        {
            return Some(self.to_the_end(Mode::Never, first));
        }
        let place = (object + 1..s.len()).find(|at| s.is(*at, &["in", "on", "inside"]))?;
        let is_work = (place + 1..place + 5)
            .any(|at| self.is_made(at) || s.is(at, &["code", "anything", "any", "production", "everything"]));
        (refuses && is_work && !self.points_near(object, ONE)).then(|| self.to_the_end(Mode::Never, first))
    }

    /// "I'd be happier with fewer comments in the code."
    fn happier_with(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_mine = s.is(first, &["i'd", "i'm", "we'd", "i", "we"]);
        let happier = self.find_near(first + 1, 4, &["happier", "happiest", "better", "comfortable"])?;
        let with = self.find_near(happier + 1, 2, &["with", "without"])?;
        let is_more = s.is(with + 1, &["fewer", "less", "more", "shorter", "smaller", "simpler"]);
        let is_general = is_more || self.is_kind(with + 1);
        (is_mine && is_general && !s.is(with + 1, ONE)).then(|| self.to_the_end(Mode::Prefer, first))
    }

    /// Returns the first token from `at` on that is no adverb of a frame.
    fn past_adverbs(&self, mut at: usize) -> usize {
        let s = self.sentence;
        while s.is(at, &["really", "also", "do", "just", "still", "very", "always", "would", "much", "only"])
            && !s.is(at + 1, &["not"])
        {
            at += 1;
        }
        at
    }

    /// Whether one of `words` is among the six tokens from `at` on, in the same clause.
    fn points_near(&self, at: usize, words: &[&str]) -> bool {
        self.find_near(at, 6, words).is_some()
    }

    /// Whether the word at `at` names a thing that is made at work.
    pub(in super::super) fn is_made(&self, at: usize) -> bool {
        let s = self.sentence;
        let word = s.word(at);
        let is_one_of =
            |many: &str| many.len() == word.len() + 1 && many.starts_with(word) && many.ends_with('s');
        s.is(at, OF_WORK)
            || s.is(at, MATERIALS)
            || (word.len() > 2 && MATERIALS.iter().any(|many| is_one_of(many)))
    }
}
