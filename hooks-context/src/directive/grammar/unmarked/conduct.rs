//! Conduct of the agent: "explain your reasoning", "read the code before you answer", "correct me when I'm wrong", "plan
//! first, then code", "make sure every commit has a ticket".

use super::super::{Wish, WishParser};
use super::{CHAT, Context, STYLE, TERSE};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{OF_PRODUCT, OF_WORK, VERBS};

/// Parts of the conduct of an agent: what it has in all its work.
const CONDUCT: &[&str] = table!("unmarked_conduct");

/// Verbs for what an agent does before a step.
const CHECKING: &[&str] = table!("unmarked_checking");

/// Qualities that a user can put first.
const VIRTUES: &[&str] = table!("unmarked_virtues");

/// Words that point at one thing.
const ONE: &[&str] = &["the", "this", "that", "these", "those", "it", "my"];

impl WishParser<'_> {
    /// Returns the wish of an instruction about the conduct of the agent.
    pub(super) fn conduct(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let instructs = s.is(first, VERBS)
            || s.is(
                first,
                &[
                    "don't",
                    "dont",
                    "be",
                    "make",
                    "see",
                    "take",
                    "mind",
                    "let",
                    "get",
                    "try",
                    "quit",
                    "kill",
                    "cut",
                    "lose",
                    "ditch",
                    "think",
                    "study",
                    "understand",
                ],
            );
        if !instructs {
            return None;
        }
        self.yours(first)
            .or_else(|| self.me_when(first).filter(|_| !context.builds))
            .or_else(|| self.be_so(first))
            .or_else(|| self.me_informed(first))
            .or_else(|| self.checked_before(first))
            .or_else(|| self.assured(first, context))
            .or_else(|| self.not_tried(first))
            .or_else(|| self.chat_cut(first))
            .or_else(|| self.replied_so(first))
    }

    /// "Explain your reasoning.", "Challenge my assumptions.", "Use my first name."
    fn yours(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let whose = (first + 1..first + 4).find(|at| s.is(*at, &["your", "my"]))?;
        let noun = (whose + 1..whose + 4).find(|at| s.is(*at, CONDUCT))?;
        let is_bare =
            (first + 1..whose).all(|at| s.is(at, &["all", "me", "out", "by", "for", "reasons", "on"]));
        let closes = noun + 1 >= s.len() || s.mark(noun + 1).is_some();
        (s.is(first, VERBS) && is_bare && closes).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Correct me when I'm wrong.", "Warn me if something looks risky."
    fn me_when(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let tells = s.is(first, VERBS) && s.is(first + 1, &["me", "us"]);
        let when = self.find_near(first + 2, 3, &["when", "whenever", "if"])?;
        let is_any = s.is(when + 1, &["i'm", "i", "something", "anything", "you're", "we're", "a", "an"]);
        let is_once = (when + 1..s.len()).any(|at| {
            s.is(at, ONE)
                || s.is(at, &["done", "finished", "ready", "there", "need", "want", "have", "questions"])
        });
        (tells && is_any && !is_once).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Be more careful with migrations.", "Don't be so verbose."
    fn be_so(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let not = s.is(first, &["don't", "dont"]);
        let be = first + usize::from(not);
        let how = be + 1 + usize::from(s.is(be + 1, &["more", "less", "very", "extra", "so", "too"]));
        if !s.is(be, &["be"]) {
            return None;
        }
        let is_manner = s.is(how, TERSE)
            || s.is(how, &["careful", "thorough", "verbose", "chatty", "cautious", "strict"]);
        let end = how + 1 >= s.len() || s.mark(how + 1).is_some();
        let with = s.is(how + 1, &["with", "about", "in"]) && self.is_kind(how + 2);
        let is_plain = end && (not || how > be + 1 || s.is(how, TERSE));
        let mode = if not { Mode::Never } else { Mode::Always };
        (is_manner && (with || is_plain)).then(|| self.to_the_end(mode, first))
    }

    /// "Keep me in the loop on schema changes.", "Check with me before big refactorings."
    fn me_informed(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let keeps = s.is(first, &["keep"])
            && s.is(first + 1, &["me", "us"])
            && (s.reads(first + 2, &["in", "the", "loop"])
                || s.is(first + 2, &["posted", "informed", "updated"]));
        let about = self.find_near(first + 3, 4, &["on", "about", "of"]);
        if keeps && about.is_some_and(|at| self.is_kind(at + 1)) {
            return Some(self.to_the_end(Mode::Always, first));
        }
        let asks = s.is(first, &["ask", "tell", "check", "consult", "warn"])
            && (s.is(first + 1, &["me", "us", "first"]) || s.reads(first + 1, &["with", "me"]))
            || s.reads(first, &["let", "me", "know"])
            || s.reads(first, &["get", "my"]);
        let before = self.find_near(first + 2, 5, &["before"]);
        if asks && before.is_some_and(|at| self.is_kind(at + 1) || self.is_change(at + 1)) {
            return Some(self.to_the_end(Mode::Always, first));
        }
        let wants = (first + 2..s.len()).any(|at| {
            s.is(at, &["if", "when", "whenever"])
                && s.is(at + 1, &["you"])
                && (s.reads(at + 2, &["want", "to"]) || s.reads(at + 2, &["need", "to"]))
                && !s.is(at + 5, ONE)
        });
        (asks && s.is(first, &["ask", "check"]) && wants).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "you touch the database": a deed that recurs, whatever it is done to.
    pub(super) fn is_change(&self, you: usize) -> bool {
        let s = self.sentence;
        s.is(you, &["you"])
            && s.is(
                you + 1,
                &["touch", "change", "edit", "modify", "update", "alter", "delete", "drop", "rename"],
            )
            && !s.is(you + 2, &["this", "that", "it", "these", "those"])
            && !(you + 2..you + 5).any(|at| s.is(at, OF_PRODUCT))
    }

    /// "Read the code before you answer.", "Think before you code.", "Look at existing code before adding a helper."
    fn checked_before(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let before = self.find_near(first + 1, 8, &["before"])?;
        let yours = s.is(before + 1, &["you"]) && self.is_verb(before + 2);
        let verb = before + 1 + usize::from(yours);
        let ends = verb + 1 >= s.len() || s.mark(verb + 1).is_some();
        let is_deed = yours && (ends || s.is(verb + 1, &["any", "a", "an", "your"]))
            || goes_on(s, verb) && !s.is(verb + 1, ONE);
        let is_once =
            s.is(verb, &["start", "begin", "leave", "continue", "go", "finish", "starting", "finishing"]);
        (s.is(first, CHECKING)
            && is_deed
            && !is_once
            && !(first..before).any(|at| s.is(at, &["this", "that", "it"])))
        .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Make sure every commit has a ticket.", "Take care not to log secrets."
    fn assured(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let heads: [&[&str]; 7] = [
            &["make", "sure"],
            &["see", "to", "it"],
            &["take", "care"],
            &["be", "sure"],
            &["be", "careful"],
            &["mind"],
            &["ensure"],
        ];
        let head = heads.iter().find(|words| s.reads(first, words))?.len();
        let what = first + head + usize::from(s.is(first + head, &["that"]));
        if context.builds {
            return None;
        }
        if s.reads(what, &["not", "to"]) || s.is(what, &["never"]) {
            let deed = what + 1 + usize::from(s.is(what, &["not"]));
            return (self.is_verb(deed) && self.is_kind(deed + 1))
                .then(|| self.to_the_end(Mode::Never, first));
        }
        if s.is(what, &["to"]) && s.is(what + 1, VERBS) {
            let recurs = (what + 2..s.len()).any(|at| {
                s.is(at, &["every", "each", "new", "any", "whenever", "all"]) && self.is_made(at + 1)
                    || s.is(at, &["with", "to", "for", "before"])
                        && s.is(at + 1, &["every", "each", "new", "any"])
            });
            let is_one = self.find_near(what + 2, 6, ONE).is_some();
            return (recurs && !is_one).then(|| self.to_the_end(Mode::Always, first));
        }
        let is_each = s.is(what, &["every", "each", "your", "no", "any"])
            && (what + 1..what + 4).any(|at| self.is_made(at) || s.is(at, &["changelog"]));
        let is_kind = (what..what + 2).any(|at| self.is_made(at) && s.word(at).ends_with('s'))
            && self.find_near(what + 1, 5, &["before", "always"]).is_some_and(|at| goes_on(s, at + 1));
        let is_kept = s.is(what, &["the"])
            && (what + 1..what + 3).any(|at| s.is(at, OF_WORK))
            && self.find_near(what + 2, 5, &["current", "up-to-date", "current."]).is_some();
        (is_each || is_kind || is_kept).then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Try not to use globals."
    fn not_tried(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let tries = s.reads(first, &["try", "not", "to"]) || s.reads(first, &["try", "to", "avoid"]);
        let deed = first + 3;
        let object = deed + usize::from(s.is(first + 1, &["not"]));
        (tries && self.is_kind(object)).then(|| self.to_the_end(Mode::Prefer, first))
    }

    /// "Cut the fluff.", "Quit the flattery."
    fn chat_cut(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let cuts = s.is(first, &["cut", "quit", "stop", "kill", "lose", "ditch"]);
        let noun = first + 1 + usize::from(s.is(first + 1, &["the", "all", "your"]));
        (cuts && noun > first + 1 && s.is(noun, CHAT)).then(|| self.to_the_end(Mode::Stop, first))
    }

    /// "Respond in bullet points.", "Answer with code only.", "Write like you're explaining it to a junior."
    fn replied_so(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let replies = s.is(first, &["answer", "reply", "respond", "write", "talk", "explain"]);
        let says = s.is(first, &["answer", "reply", "respond"]);
        let in_form = says
            && s.is(first + 1, &["in", "with", "using"])
            && (first + 2..first + 5)
                .any(|at| s.is(at, STYLE) || s.is(at, &["bullet", "code", "prose", "plain", "only"]));
        let as_if = replies
            && s.is(first + 1, &["like", "as"])
            && s.is(first + 2, &["you're", "you", "if", "a", "i'm"]);
        ((in_form || as_if) && !self.has_from(first + 2, &["this", "that", "the"]))
            .then(|| self.to_the_end(Mode::Always, first))
    }

    /// "Readability first.", "Security comes first.", "Plan first, then code."
    pub(super) fn virtue_first(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let comes = first + 1 + usize::from(s.is(first + 1, &["comes", "come", "goes", "go"]));
        let is_virtue = s.is(first, VIRTUES)
            && s.is(comes, &["first"])
            && (comes + 1 >= s.len() || s.mark(comes + 1).is_some());
        let then = first + 2 + usize::from(s.mark(first + 2).is_some());
        let is_order = self.is_verb(first)
            && s.is(first + 1, &["first"])
            && s.is(then, &["then"])
            && self.is_verb(then + 1)
            && then + 2 >= s.len();
        if is_order {
            return Some(Wish { mode: Mode::Always, tokens: first..s.len() });
        }
        let is_one = self.has_from(first, &["this", "then", "today", "that"]);
        (is_virtue && !is_one).then(|| Wish { mode: Mode::Prefer, tokens: first..s.len() })
    }
}
