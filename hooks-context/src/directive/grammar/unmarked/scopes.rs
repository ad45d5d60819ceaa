//! Instructions for as long as a condition holds, for an occasion that recurs, and things that need a word of the
//! user first.

use super::super::{Wish, WishParser};
use super::Context;
use crate::directive::Mode;

impl WishParser<'_> {
    /// Returns the wish of an instruction with a lasting condition.
    pub(super) fn lasting(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        self.assumed(first)
            .or_else(|| self.until(first))
            .or_else(|| self.on_condition(first, context))
            .or_else(|| self.when_you(first))
            .or_else(|| self.with_leave(first))
    }

    /// "Keep it short till I'm back at my desk."
    fn until(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let scope = (first..s.len()).find(|at| {
            let at = at + if s.reads(*at, &["as", "long", "as"]) { 2 } else { 0 };
            (s.is(at, &["till", "until", "while"])
                || at > first + 1 && s.reads(at - 2, &["as", "long", "as"]))
                && (s.is(at + 1, &["i'm", "we're"])
                    || (s.is(at + 1, &["i", "we"])
                        && s.is(at + 2, &["am", "are", "say", "tell", "return", "get"])))
        })?;
        let start = (first..scope).rev().find(|at| {
            self.is_imperative(*at)
                && (*at == first
                    || s.is(at - 1, &["so", "and", "please", "then"])
                    || s.mark(at - 1).is_some())
        });
        let start = start.or_else(|| {
            let comma = (scope..s.len()).find(|at| s.mark(*at) == Some(','))?;
            let what = self.content(comma + 1);
            (scope == first && self.is_imperative(what)).then_some(first)
        })?;
        let what = if start == scope {
            (scope..s.len())
                .find(|at| s.mark(*at) == Some(','))
                .map_or(start, |comma| self.content(comma + 1))
        } else {
            start
        };
        let is_manner = s.is(
            what,
            &[
                "keep", "use", "answer", "reply", "treat", "stay", "ask", "work", "stick", "write", "be",
                "limit", "don't", "leave", "avoid",
            ],
        );
        is_manner.then(|| Wish { mode: Mode::FromNowOn, tokens: start..s.len() })
    }

    /// "If a command takes longer than a minute, run it in the background."
    fn on_condition(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["if", "when", "once", "before", "after"]) {
            return None;
        }
        let comma = (first + 2..s.len()).find(|at| s.mark(*at) == Some(','))?;
        let what = self.content(comma + 1);
        let asks = s.is(
            what,
            &[
                "ask", "tell", "say", "stop", "let", "warn", "ping", "run", "check", "show", "wait",
                "report", "flag", "note", "assume",
            ],
        );
        let is_any = s.is(first + 1, &["a", "an", "any", "something", "anything", "someone"])
            && asks
            && !context.builds;
        let is_kind = self.is_kind(first + 1)
            && s.is(first, &["if", "when", "once"])
            && (asks || s.is(what, &["don't"]))
            && !context.builds;
        let is_unsure = (first + 1..comma).any(|at| {
            s.is(at, &["unsure", "doubt", "unclear", "ambiguous", "uncertain"])
                || s.reads(at, &["not", "sure"])
        }) && (asks || s.is(what, &["don't"]));
        let is_you =
            s.is(first + 1, &["you"]) && self.is_recurring_deed(first + 2, comma) && self.is_imperative(what);
        let passes = self.is_passing_from(first);
        ((is_any || is_kind || is_unsure || is_you) && !passes)
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// Whether "you" may do the named deed at any time, and not only in one task.
    fn is_recurring_deed(&self, verb: usize, end: usize) -> bool {
        let s = self.sentence;
        let is_once = s.is(
            verb,
            &[
                "want", "like", "can", "could", "need", "see", "find", "spot", "notice", "get", "think",
                "prefer", "are", "have", "agree", "look", "start", "begin", "continue", "go", "leave",
            ],
        ) || (verb..end).any(|at| {
            s.is(at, &["done", "finished", "ready", "the", "this", "that", "it", "these", "there"])
        });
        !is_once && self.is_verb(verb)
    }

    /// "Admit it when you haven't run something.", "Ask before you delete anything."
    fn when_you(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !self.is_imperative(first) {
            return None;
        }
        let when = (first + 1..s.len())
            .find(|at| s.is(*at, &["when", "if", "before", "after"]) && s.is(at + 1, &["you"]))?;
        let end = (when..s.len()).find(|at| s.mark(*at).is_some()).unwrap_or(s.len());
        let negated = s.is(when + 2, &["haven't", "didn't", "can't", "couldn't", "don't", "aren't"]);
        let recurs = if negated {
            !(when + 3..end).any(|at| s.is(at, &["the", "this", "that", "it", "want", "need"]))
        } else {
            self.is_recurring_deed(when + 2, end)
        };
        let is_one = (first + 1..when).any(|at| s.is(at, &["this", "the", "these", "it"]));
        (recurs && end > when + 2 && !is_one && !self.is_passing_from(first))
            .then_some(Wish { mode: Mode::Always, tokens: first..end })
    }

    /// "Run schema changes by me first.", "Ask me before touching shared code.", "Leave deploys to me."
    fn with_leave(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if self.is_imperative(first)
            && s.is(first, &["run", "pass", "clear", "send"])
            && self.is_kind(first + 1)
        {
            let me = (first + 2..s.len())
                .find(|at| s.is(*at, &["by", "past", "through"]) && s.is(at + 1, &["me", "us"]));
            if me.is_some() {
                return Some(self.to_the_end(Mode::Always, first));
            }
        }
        let asks = s.is(first, &["ask", "consult", "check", "tell", "warn", "ping"])
            || s.reads(first, &["get", "my"])
            || s.reads(first, &["let", "me"]);
        let before = self.find_near(first + 1, 6, &["before"]);
        if asks && let Some(before) = before {
            let deed = before + 1;
            let is_general = (deed + 1..s.len().min(deed + 4))
                .all(|at| !s.is(at, &["this", "the", "that", "it", "these"]));
            let word = s.word(deed);
            return (word.ends_with("ing") && is_general).then(|| self.to_the_end(Mode::Always, first));
        }
        let leaves = s.is(first, &["leave"])
            && self.is_kind(first + 1)
            && (first + 2..s.len()).any(|at| s.is(at, &["to"]) && s.is(at + 1, &["me", "us"]));
        leaves.then(|| self.to_the_end(Mode::Never, first))
    }

    /// "Assume I know Haskell.", "Treat warnings as errors."
    fn assumed(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let first = first + if s.is(first, &["you"]) && s.is(first + 1, &["can", "may"]) { 2 } else { 0 };
        let that = usize::from(s.is(first + 1, &["that"]));
        if s.is(first, &["assume"])
            && s.is(first + 1 + that, &["i", "we", "i'm", "we're", "my", "our", "i've"])
        {
            return (!self.is_passing_from(first)).then(|| self.to_the_end(Mode::Remember, first));
        }
        let treats = s.is(first, &["treat", "consider"]) && self.find_near(first + 2, 5, &["as"]).is_some();
        let lasts = self.is_kind(first + 1)
            || s.is(first + 1, &["me", "us"])
            || self.has_from(
                first,
                &[
                    "read-only",
                    "off-limits",
                    "frozen",
                    "sacred",
                    "protected",
                    "immutable",
                    "untrusted",
                    "private",
                ],
            );
        (treats && lasts && !self.is_passing_from(first)).then(|| self.to_the_end(Mode::Always, first))
    }
}
