//! Duties without a marker: "you are to ask me first", "that's how we work", "use pnpm for everything".

use super::super::{Form, WishParser};
use super::{Context, MATERIALS, STYLE, Wish};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{OF_WORK, PLACES_OF_WORK, RULE_NOUNS, SUBJECTS, VERBS};

/// Words behind an instruction that make it general.
const GENERAL: [&[&str]; 11] = [
    &["for", "everything"],
    &["all", "of", "them"],
    &["in", "general"],
    &["as", "a", "rule"],
    &["as", "a", "general", "rule"],
    &["across", "the", "board"],
    &["in", "all", "cases"],
    &["in", "every", "case"],
    &["at", "all", "times"],
    &["without", "exception"],
    &["as", "a", "principle"],
];

/// Ends of a sentence that states a way of working.
const WAYS: [&[&str]; 12] = [
    &["that's", "our", "way"],
    &["that's", "my", "way"],
    &["is", "our", "way"],
    &["that's", "how", "i", "want"],
    &["that's", "how", "i", "like"],
    &["that's", "how", "we"],
    &["that's", "the", "way", "i", "want"],
    &["that's", "the", "way", "i", "like"],
    &["that's", "the", "way", "we"],
    &["this", "is", "how", "we"],
    &["is", "how", "we", "do"],
    &["is", "how", "we", "work"],
];

impl WishParser<'_> {
    /// Returns the wish of a sentence that states a duty.
    pub(super) fn duty(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        self.you_are_to(first)
            .or_else(|| self.not_seen(first))
            .or_else(|| self.general(first))
            .or_else(|| self.way_of_work(first))
            .or_else(|| self.before_deeds(first))
            .or_else(|| self.house_label(first))
            .or_else(|| self.place_and_manner(first))
            .or_else(|| self.stated_and_told(first))
            .or_else(|| self.closing_ban(first))
            .or_else(|| self.kinds_please(first, context))
            .or_else(|| self.closed_to_you(first))
            .or_else(|| self.demanded_here(first))
            .or_else(|| self.opened_with(first))
            .or_else(|| self.better(first))
    }

    /// "It's off limits for you."
    fn closed_to_you(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let limits = (first + 1..s.len()).find(|at| {
            (s.is(*at, &["off"]) && s.is(at + 1, &["limits"]))
                || s.is(*at, &["off-limits", "taboo"])
                || s.reads(*at, &["out", "of", "bounds"])
        })?;
        let end = (limits + 1..s.len().min(limits + 5))
            .find(|at| s.is(*at, &["for"]) && s.is(at + 1, &["you", "agents"]))?;
        let start = (first..limits)
            .rev()
            .find(|at| s.mark(*at).is_some() || s.is(*at, &["so", "and", "but"]))
            .map_or(first, |at| self.content(at + 1));
        (!self.is_passing_from(limits)).then(|| Wish { mode: Mode::Never, tokens: start..end + 2 })
    }

    /// "Type hints are mandatory in this code base."
    fn demanded_here(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is = self.find_near(first + 1, 6, &["is", "are"])?;
        let demanded = s.is(is + 1, &["mandatory", "required", "compulsory", "obligatory"])
            || (s.is(is + 1, &["a"]) && s.is(is + 2, &["must"]));
        let here = (is + 2..s.len()).any(|at| {
            self.past_place(at).is_some()
                || (s.is(at, &["each", "every", "all"]) && self.is_made(at + 1))
                || (s.is(at, &["this", "our"])
                    && s.is(at + 1, &["code", "repo", "project", "codebase", "team"]))
                || s.is(at, &["each", "every", "all"])
        });
        let pointed = s.is(first, &["it", "this", "that", "there", "which", "what"]);
        (demanded && here && !pointed && !self.is_passing_from(is))
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// Sentences that their first words make a rule of work.
    fn opened_with(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let whole = |mode: Mode| Some(Wish { mode, tokens: first..s.len() });
        if s.is(first, &["don't", "dont"]) && s.is(first + 1, &["bother"]) && goes_on(s, first + 2) {
            return Some(self.to_the_end(Mode::Stop, first));
        }
        if s.reads(first, &["the", "way", "we"]) && self.has_from(first + 3, &["is", "isn't"]) {
            return whole(Mode::Always);
        }
        if s.is(first, &["nobody", "no-one"])
            && s.is(first + 1, &["here"])
            && s.word(first + 2).ends_with('s')
        {
            return whole(Mode::Never);
        }
        let not_done = (first + 1..s.len()).any(|at| {
            s.reads(at, &["something", "we", "do"]) && (first..at).any(|at| s.is(at, &["isn't", "not"]))
                || s.is(at, &["something"]) && s.is(at + 1, &["we"]) && s.is(at + 2, &["never", "don't"])
        });
        if not_done && !s.is(first, SUBJECTS) {
            return whole(Mode::Never);
        }
        if s.reads(first, &["these", "days", "we"]) && self.is_verb(first + 3) {
            return whole(Mode::FromNowOn);
        }
        let asks = s.is(first, &["check", "talk", "clear", "confirm"])
            && (first + 1..first + 5).any(|at| s.is(at, &["me"]));
        let before = self.find_near(first + 2, 5, &["before"]);
        if asks && before.is_some_and(|at| s.is(at + 1, &["anything", "any", "every", "each"])) {
            return whole(Mode::Always);
        }
        let to_me = (first + 2..s.len()).find(|at| s.is(*at, &["to"]) && s.is(at + 1, &["me"]));
        let is_left = s.is(first, &["leave"]) && to_me.is_some_and(|at| self.is_plural(first + 1, at));
        if let Some(end) = to_me.filter(|_| is_left && !self.is_passing_from(first)) {
            return Some(Wish { mode: Mode::Never, tokens: first..end + 2 });
        }
        let nice = s.is(first, &["it'd", "it"]) && self.find_near(first + 1, 3, &["be"]).is_some();
        let if_you = (first + 2..first + 7).find(|at| s.is(*at, &["if"]) && s.is(at + 1, &["you"]));
        let kind = self.find_near(first + 1, 5, &["nice", "great", "good", "lovely", "helpful"]).is_some();
        let if_you = if_you.filter(|at| {
            nice && kind
                && !s.is(at + 2, &["could", "can", "would", "fixed", "added", "looked"])
                && !self.is_passing_from(*at)
        })?;
        let general = !(if_you + 2..s.len()).any(|at| s.is(at, &["this", "that", "these"]));
        general.then(|| Wish { mode: Mode::Prefer, tokens: if_you + 1..s.len() })
    }

    /// "Flat code suits me better.", "A boring solution beats a fancy one any day."
    fn better(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let suits = (first + 1..s.len()).any(|at| {
            s.is(at, &["suit", "suits"])
                && s.is(at + 1, &["me", "us"])
                && (at + 2..at + 4).any(|at| s.is(at, &["better", "best"]))
        });
        let beats = (first + 1..s.len()).any(|at| {
            s.is(at, &["beats", "beat", "trumps"])
                && (s.reads(s.len() - 2, &["any", "day"]) || s.reads(s.len() - 2, &["any", "time"]))
        });
        let pointed = s.is(first, &["this", "that", "it", "the", "these"]);
        ((suits || beats) && !pointed && !self.is_passing_from(first))
            .then(|| Wish { mode: Mode::Prefer, tokens: first..s.len() })
    }

    /// "You are to ask me before any schema change."
    fn you_are_to(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let are = match s.word(first) {
            "you" if s.is(first + 1, &["are"]) => first + 2,
            "you're" => first + 1,
            _ => return None,
        };
        let negated = s.is(are, &["not", "never"]);
        let mut to = are + usize::from(negated);
        to += usize::from(s.is(to, &["supposed", "expected", "required", "meant"]));
        let verb = to + 1;
        let acts =
            s.is(to, &["to"]) && s.is(verb, VERBS) && !s.is(verb, &["act", "play", "imagine", "pretend"]);
        let mode = if negated { Mode::Never } else { Mode::Always };
        (acts && !self.is_passing_from(verb)).then(|| Wish { mode, tokens: first..s.len() })
    }

    /// "I don't want to see `console.log` in committed code again."
    fn not_seen(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let want = (first + 1..first + 4).find(|at| s.is(*at, &["want", "wanna"]))?;
        let refuses = s.is(first, &["i"]) && s.is(want - 1, &["don't", "never", "not"]);
        let sees = s.is(want + 1, &["to"]) && s.is(want + 2, &["see", "find", "read", "have", "get", "meet"]);
        let again = s.is(s.len() - 1, &["again", "anymore", "ever"])
            || (s.is(s.len() - 1, &["more"]) && s.is(s.len() - 2, &["any"]));
        let pointed = s.is(want + 3, &["this", "that", "it"]);
        (refuses && sees && again && !pointed).then(|| Wish { mode: Mode::Never, tokens: first..s.len() })
    }

    /// "Use pnpm for everything.", "Use `path.join`, in general, not string concatenation."
    fn general(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let start = self.past_condition(first);
        if !(self.instructs(start) && s.is(start, VERBS)) {
            return None;
        }
        let tags = |at: &usize| {
            GENERAL.iter().any(|words| {
                let end = at + words.len();
                s.reads(*at, words) && (end >= s.len() || s.mark(end).is_some())
            })
        };
        let tag = (start + 2..s.len()).find(tags)?;
        let is_one = (start + 1..tag).any(|at| s.is(at, &["this", "that", "these", "those"]));
        let is_preferred = start > first;
        let mode = if is_preferred { Mode::Prefer } else { self.mode_at(start) };
        (!is_one && !self.is_passing_from(start)).then(|| Wish { mode, tokens: first..s.len() })
    }

    /// Returns the instruction behind "if possible," and the like.
    fn past_condition(&self, first: usize) -> usize {
        let s = self.sentence;
        let soft = s.is(first, &["if", "where", "when", "wherever", "whenever"])
            && s.is(first + 1, &["possible", "feasible", "practical"]);
        if soft { self.content(first + 2) } else { first }
    }

    /// "Docs first, code second: that's how I want you to work."
    fn way_of_work(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let way = (first + 1..s.len()).find(|at| WAYS.iter().any(|words| s.reads(*at, words)))?;
        let is_report = (way..s.len()).any(|at| s.is(at, &["did", "got", "used", "found", "ended", "broke"]));
        let closes = s.len() < way + 12;
        (closes && !is_report && way > first + 1).then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "Before touching anything in `billing/` you check with me."
    fn before_deeds(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !(s.is(first, &["before", "after", "when", "while"]) && goes_on(s, first + 1)) {
            return None;
        }
        let you = (first + 2..s.len()).find(|at| s.is(*at, &["you"]))?;
        let acts =
            s.is(you + 1, VERBS) || (s.is(you + 1, &["always", "never", "must"]) && s.is(you + 2, VERBS));
        let is_one = (first + 2..you).any(|at| s.is(at, &["this", "that", "it", "these"]));
        (acts && !is_one && !self.is_passing_from(you))
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }

    /// "Policy around here: two approvals."
    fn house_label(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let colon = (first + 1..s.len().min(first + 7)).find(|at| s.mark(*at) == Some(':'))?;
        let noun = (first..colon).find(|at| s.is(*at, RULE_NOUNS))?;
        let is_house =
            (noun + 1..colon).any(|at| s.is(at, &["here", "us", "team"]) || s.is(at, PLACES_OF_WORK));
        (is_house && s.len() > colon + 2)
            .then(|| Wish { mode: self.mode_at(self.content(colon + 1)), tokens: first..s.len() })
    }

    /// "In tests use the fake clock."
    fn place_and_manner(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        if !s.is(first, &["in", "inside", "for", "under", "within"]) {
            return None;
        }
        let noun = first + 1 + usize::from(s.is(first + 1, &["all", "our", "unit", "new"]));
        let is_kind = s.is(noun, MATERIALS) || s.is(noun, OF_WORK) || s.word(noun).contains('/');
        let verb = self.content(noun + 1);
        let manner =
            s.is(verb, &["use", "keep", "write", "prefer", "avoid", "follow", "stick", "name", "put"]);
        let mut object = verb + 1..self.clause_end(verb + 1);
        let is_one = object.any(|at| s.is(at, &["this", "that", "these"]));
        let ends = self.clause_end(verb);
        let holds = is_kind && manner && !is_one && !self.is_passing_from(verb) && s.word(noun).len() > 2;
        (holds && (s.word(noun).ends_with('s') || s.word(noun).contains('/')))
            .then(|| Wish { mode: self.mode_at(verb), tokens: first..ends.max(verb + 2) })
    }

    /// "A migration without a down step is incomplete, always ship both."
    fn stated_and_told(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let told = (first + 3..s.len()).find(|at| {
            s.is(*at, &["always", "never"])
                && s.is(at + 1, VERBS)
                && matches!(s.mark(at - 1), Some(',' | ';' | ':' | '—'))
        })?;
        let states = (first + 1..told).any(|at| s.is(at, &["is", "are", "isn't", "aren't"]));
        let is_general = s.is(first, &["a", "an", "every", "any", "no"]) || s.word(first).ends_with('s');
        let mode = if s.is(told, &["never"]) { Mode::Never } else { Mode::Always };
        (states && is_general && !self.is_passing_from(told)).then(|| Wish { mode, tokens: first..s.len() })
    }

    /// "…, but never in `src/` without a test."
    fn closing_ban(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let never = (first + 2..s.len()).find(|at| {
            s.is(*at, &["never"])
                && s.is(
                    at + 1,
                    &["in", "on", "to", "without", "from", "into", "inside", "outside", "for", "with"],
                )
                && s.is(at - 1, &["but", "and", "though"])
        })?;
        let is_rule = s.is(first, VERBS) || s.is(first, &["you", "feel", "do"]);
        (is_rule && !self.is_passing_from(never)).then(|| Wish { mode: Mode::Never, tokens: never..s.len() })
    }

    /// "Commit messages in the imperative mood, please."
    fn kinds_please(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let please =
            (first + 2..s.len()).any(|at| s.is(at, &["please", "pls"]) && s.mark(at - 1) == Some(','));
        let noun = (first..s.len().min(first + 3))
            .find(|at| s.is(*at, MATERIALS) || s.word(*at).ends_with('s') && s.is(*at, OF_WORK))?;
        let is_bare = (first..noun)
            .all(|at| s.is(at, OF_WORK) || s.is(at, &["all", "new", "our", "pull"]) || s.is(at, MATERIALS));
        let is_so = s.is(noun + 1, &["in", "with", "without", "as", "under", "below", "before"])
            || s.is(noun + 1, STYLE);
        let has_verb = (first..s.len())
            .any(|at| s.is(at, &["is", "are", "was", "were", "be", "should", "must", "fix", "need"]));
        let asks = !matches!(self.form, Form::Request(_));
        (please && is_bare && is_so && !has_verb && asks && !context.builds && !self.is_passing_from(noun))
            .then(|| Wish { mode: Mode::Always, tokens: first..s.len() })
    }
}
