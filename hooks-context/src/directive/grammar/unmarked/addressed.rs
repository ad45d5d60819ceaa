//! Duties of "you", and wants of "I" about all work: "you have to sign your commits", "I want to see a plan before you
//! write code", "comments should explain why", "it's our policy to review everything".

use super::super::{Wish, WishParser};
use super::{Context, NEAT, STYLE};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{OF_WORK, RULE_NOUNS, SUBJECTS, VERBS};

/// Words that point at one thing.
const ONE: &[&str] = &["the", "this", "that", "these", "those", "it", "my"];

/// Words for what a user wants to happen before a step.
const ASKED: &[&str] = table!("unmarked_asked");

impl WishParser<'_> {
    /// Returns the wish of a sentence about the duties of the agent or the wants of the user.
    pub(super) fn addressed(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        // An imperative has neither "you" nor a kind of thing as its subject.
        let is_many = s.word(first).ends_with('s') || s.is(first, OF_WORK);
        if context.builds || !is_many && s.is(first, VERBS) {
            return None;
        }
        self.you_must(first)
            .or_else(|| self.want_to_be_asked(first))
            .or_else(|| self.expected_kind(first))
            .or_else(|| self.kind_should(first))
            .or_else(|| self.all_are(first))
            .or_else(|| self.policy_to(first))
            .or_else(|| self.goes_nowhere(first))
            .or_else(|| self.count_as(first))
            .or_else(|| self.only_kind(first))
    }

    /// "You have to sign your commits.", "You will not use sudo.", "You only ever work on branches."
    fn you_must(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["you", "u"]) {
            return None;
        }
        if s.is(first + 1, &["only"]) {
            let verb = first + 2 + usize::from(s.is(first + 2, &["ever"]));
            return (self.is_verb(verb) && !s.is(verb + 1, ONE))
                .then(|| self.to_the_end(Mode::Always, first));
        }
        if s.is(first + 1, &["won't"]) || s.is(first + 1, &["will"]) && s.is(first + 2, &["not", "never"]) {
            let verb = first + 2 + usize::from(s.is(first + 1, &["will"]));
            let is_ban = s.is(verb, VERBS)
                && !s.is(verb + 1, ONE)
                && !s.is(verb, &["find", "see", "get", "be", "need"]);
            return is_ban.then(|| self.to_the_end(Mode::Never, first));
        }
        let to = s.is(first + 1, &["have", "need", "ought"]) && s.is(first + 2, &["to"]);
        let verb = first + 2 + usize::from(to);
        let obliges = to || s.is(first + 1, &["must", "should", "shall"]);
        let recurs = (verb + 1..s.len()).any(|at| {
            s.is(at, &["every", "each", "any", "all", "whenever", "without", "unless"])
                || s.is(at, &["before", "after", "when"]) && goes_on(s, at + 1)
        });
        let is_yours = s.is(verb + 1, &["your"]) && self.is_made(verb + 2) && s.word(verb + 2).ends_with('s');
        let is_deed = s.is(verb, VERBS)
            && (recurs || is_yours || s.is(verb, &["use", "write"]) && self.is_kind(verb + 1));
        (obliges && is_deed && self.find_near(verb + 1, 4, ONE).is_none())
            .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "I want to be asked before you push.", "I need to approve all schema changes."
    fn want_to_be_asked(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = first + 1 + usize::from(s.is(first + 1, &["always", "also", "would"]));
        let wants = s.is(first, &["i", "i'd", "we", "we'd"])
            && s.is(verb, &["want", "need", "like", "expect"])
            && s.is(verb + 1, &["to"]);
        let be = verb + 2 + usize::from(s.is(verb + 2, &["be"]));
        let recurs = (be + 1..s.len()).any(|at| {
            s.is(at, &["every", "each", "any", "all", "whenever"])
                || s.is(at, &["before", "when", "if"])
                    && s.is(at + 1, &["you"])
                    && !s.is(at + 3, &["this", "that", "it"])
                || s.is(at, &["before"]) && self.is_kind(at + 1)
        });
        (wants && s.is(be, ASKED) && recurs).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "I expect clean commits.", "I insist on type hints.", "I'd like short commit messages."
    fn expected_kind(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["i", "we", "i'd", "we'd"]) {
            return None;
        }
        let verb = first + 1 + usize::from(s.is(first + 1, &["would", "only", "just"]));
        if s.is(verb, &["value", "prize", "put"])
            && self.find_near(verb + 2, 3, &["over", "above", "before"]).is_some()
        {
            return (!s.is(verb + 1, ONE)).then(|| self.to_the_end(Mode::Prefer, first));
        }
        let insists = s.reads(verb, &["insist", "on"]);
        let object = verb + 1 + usize::from(insists);
        let end = self.object_end(object);
        let is_kind = self.is_kind(object) && (object..end).any(|at| self.is_made(at) || s.is(at, STYLE))
            || insists && self.is_kind(object);
        let expects = insists || s.is(verb, &["expect", "demand", "require"]);
        let likes = s.is(verb, &["like", "want", "prefer"]) && s.is(object, NEAT);
        let closes = end >= s.len() || s.mark(end).is_some();
        (is_kind && closes && (expects || likes)).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Comments should explain why.", "Error messages must be actionable."
    fn kind_should(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let modal =
            self.find_near(first + 1, 4, &["should", "must", "shouldn't", "mustn't", "have", "need", "may"])?;
        let to = s.is(modal, &["have", "need"]);
        let is_bare =
            !s.is(first, SUBJECTS) && !s.is(first, VERBS) || s.is(first, &["all"]) || s.is(first, OF_WORK);
        let is_kind = self.is_plural(modal - 1, modal) && (first..modal).any(|at| self.is_made(at));
        let negated = s.is(modal, &["shouldn't", "mustn't"]) || s.is(modal + 1, &["not", "never"]);
        let is_modal = if to { s.is(modal + 1, &["to"]) } else { !s.is(modal, &["may"]) || negated };
        let verb = modal + 1 + usize::from(to) + usize::from(s.is(modal + 1, &["not", "never", "always"]));
        // "Messages must be sent in order" is about a product.
        let is_work = (first..modal).any(|at| s.is(at, OF_WORK) && !s.is(at, &["request", "requests"]));
        let is_passive = s.is(verb, &["be"])
            && (s.word(verb + 1).ends_with("ed") || s.is(verb + 1, &["sent", "shown", "kept"]));
        let is_shown = s.is(
            verb,
            &["show", "appear", "display", "load", "open", "pass", "work", "return", "fit", "expire"],
        );
        let mode = if negated { Mode::Never } else { Mode::Always };
        (is_bare && is_kind && is_modal && (is_work || !is_passive) && !is_shown)
            .then(|| self.to_the_end(mode, first))
    }

    /// "All dates are in UTC.", "Feature flags are named after the ticket."
    fn all_are(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_all = s.is(first, &["all", "every", "each"]);
        let be = self.find_near(first + 1, 4, &["are", "is"])?;
        let is_kind = (first..be).any(|at| self.is_made(at))
            && (is_all || self.is_plural(be - 1, be) && !s.is(first, SUBJECTS));
        let is_in = s.is(be + 1, &["in"])
            && (s.is(be + 2, STYLE) || s.is(be + 2, &["lowercase", "kebab-case", "plain"]));
        let is_named = s.is(
            be + 1,
            &["named", "written", "formatted", "prefixed", "sorted", "documented", "kept", "signed"],
        );
        let is_here = s.is(s.len() - 1, &["here"]) && !s.is(be + 1, &["not"]) && !goes_on(s, be + 1);
        let is_report = self.has_from(
            be,
            &["but", "because", "why", "already", "now", "still", "currently", "wrong", "down"],
        );
        (is_kind && (is_in || is_named || is_here) && !is_report)
            .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "It's our policy to review everything.", "It's not okay to commit commented-out code."
    fn policy_to(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is = match s.word(first) {
            "it's" => first,
            "it" if s.is(first + 1, &["is", "isn't"]) => first + 1,
            _ => return None,
        };
        let to = self.find_near(is + 1, 5, &["to", "that"])?;
        let is_policy = (is + 1..to).any(|at| s.is(at, RULE_NOUNS) || s.is(at, &["custom", "habit"]))
            && (is + 1..to)
                .any(|at| s.is(at, &["our", "my", "team", "company", "house", "a", "standard", "good"]));
        let is_barred = (s.is(is, &["isn't"]) || s.is(is + 1, &["not", "never"]))
            && s.is(to - 1, &["okay", "ok", "fine", "acceptable", "allowed", "permitted", "cool"]);
        let is_verb = self.is_verb(to + 1) && !s.is(to + 2, ONE);
        let mode = if is_barred || s.is(to + 1, &["not", "never"]) { Mode::Never } else { Mode::Always };
        ((is_policy || is_barred && s.is(to, &["to"])) && is_verb).then(|| self.to_the_end(mode, first))
    }

    /// "Nothing goes to production on Fridays.", "Everything gets reviewed."
    fn goes_nowhere(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let goes = s.is(first, &["nothing", "nobody"])
            && s.is(first + 1, &["goes", "gets", "lands", "ships", "moves"])
            && s.is(first + 2, &["to", "into", "in", "on", "out"])
            && s.len() > first + 4;
        let all = s.is(first, &["everything"])
            && s.is(first + 1, &["gets", "is"])
            && s.word(first + 2).ends_with("ed")
            && (first + 3 >= s.len() || s.is(first + 3, &["before", "by", "with", "in"]))
            && s.is(
                first + 2,
                &["reviewed", "tested", "documented", "typed", "formatted", "logged", "versioned"],
            );
        let whoever = s.is(first, &["whoever"]) && s.word(first + 1).ends_with('s') && s.len() > first + 4;
        let is_report = self.has_from(first, &["why", "because", "yet", "anymore", "when", "but", "since"]);
        if is_report {
            return None;
        }
        if goes {
            return Some(self.to_the_end(Mode::Never, first));
        }
        (all || whoever).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Warnings count as errors.", "Warnings are errors in our own code."
    fn count_as(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = self.find_near(first + 1, 3, &["count", "counts", "are"])?;
        let is_bare = !s.is(first, SUBJECTS) && self.is_plural(verb - 1, verb);
        let counts = s.is(verb, &["count", "counts"]) && s.is(verb + 1, &["as"]);
        let equals = s.is(verb + 1, &["errors", "failures", "bugs"]);
        (is_bare && (counts || equals)).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Only squash merges.", "English only in the code."
    fn only_kind(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_only = s.is(first, &["only"])
            && s.len() <= first + 4
            && self.is_plural(s.len() - 1, s.len())
            && self.is_made(s.len() - 1)
            && (first + 1..s.len())
                .all(|at| self.is_made(at) || [VERBS, NEAT, STYLE].iter().any(|words| s.is(at, words)));
        let styled = s.is(first, STYLE) && s.is(first + 1, &["only"]) && s.is(first + 2, &["in", "for"]);
        (is_only || styled).then(|| self.to_the_end(Mode::Always, first))
    }
}
