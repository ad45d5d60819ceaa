//! Standing wishes without a marker: customs of a team, tastes, manners of answers, lasting conditions, facts.

mod addressed;
mod cases;
mod conduct;
mod context;
mod customs;
mod duties;
mod facts;
mod frames;
mod kinds;
mod manners;
mod maxims;
mod norms;
mod plainly;
mod scopes;
mod tastes;
mod wanted;

pub(in crate::directive) use self::context::{Context, announces_text, asks_to_build, takes_back};
pub(in crate::directive) use self::plainly::{is_told_by_a_text, makes_a_rule};
use super::{Form, Wish, WishParser};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{ASIDES, SUBJECTS};

// Kinds of wishes, as bits.
const FACT: u16 = 1;
const CUSTOM: u16 = 1 << 1;
const TASTE: u16 = 1 << 2;
const SCOPE: u16 = 1 << 3;
const MANNER: u16 = 1 << 4;
const FRAGMENT: u16 = 1 << 5;
const NORM: u16 = 1 << 6;

/// Things that are made at work.
const MATERIALS: &[&str] = table!("unmarked_materials");

/// Words for a style of text or code.
const STYLE: &[&str] = table!("unmarked_style");

/// Words for the manner of an answer.
const TERSE: &[&str] = table!("unmarked_terse");

/// Words for a state that passes.
const STATES: &[&str] = table!("unmarked_states");

/// Verbs with which a custom is stated.
const STATIVE: &[&str] = table!("unmarked_stative");

/// Words for a good form of a piece of work.
const NEAT: &[&str] = table!("unmarked_neat");

/// Words that state a rule about their subject.
const RULED: &[&str] = table!("unmarked_ruled");

/// Parts of an answer.
const CHAT: &[&str] = table!("unmarked_chat");

/// Words for an answer.
const ANSWERS: &[&str] = table!("unmarked_answers");

/// Places of work.
const AT_WORK: &[&str] = table!("unmarked_at_work");

impl WishParser<'_> {
    /// Returns the wish of a sentence in which no marker makes one.
    pub(super) fn unmarked(&self, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let first = match self.form {
            Form::Request(start) => start,
            _ => self.content(0),
        };
        let (first, is_aside) = self.past_asides(first);
        // An aside is not about the product of the task.
        let context = if is_aside { &Context::default() } else { context };
        if first >= s.len() || s.is(first, &["suppose", "imagine", "pretend"]) {
            return None;
        }
        if let Form::Request(_) = self.form {
            let gives_up = s.is(first, &["not"])
                && goes_on(s, first + 1)
                && (self.is_kind(first + 2) || s.is(first + 2, CHAT));
            return if gives_up {
                Some(self.to_the_end(Mode::Stop, first))
            } else {
                self.manner(first, context)
            };
        }
        let signals = self.signals(first);
        let on =
            |wanted: u16, read: &dyn Fn() -> Option<Wish>| if signals & wanted != 0 { read() } else { None };
        on(FACT, &|| self.fact(first))
            .or_else(|| on(CUSTOM, &|| self.custom(first, context)))
            .or_else(|| on(TASTE, &|| self.taste(first)))
            .or_else(|| on(NORM, &|| self.norm(first, context)))
            .or_else(|| on(SCOPE, &|| self.lasting(first, context)))
            .or_else(|| on(MANNER, &|| self.manner(first, context)))
            .or_else(|| on(FRAGMENT, &|| self.fragment(first)))
            .or_else(|| self.wanted(first, context))
            .or_else(|| self.duty(first, context))
            .or_else(|| self.plainly(first, context))
            .or_else(|| self.maxim(first, context))
            .or_else(|| self.in_general(first, context))
    }

    /// Returns the wish of a rule for kinds of things, for cases, or for the conduct of the agent.
    fn in_general(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        // "This project" and "first" are of no task here.
        let lasting = self
            .kinds_here(first, context)
            .or_else(|| self.in_a_case(first, context))
            .or_else(|| self.virtue_first(first))
            .or_else(|| self.cases(first, context));
        if lasting.is_some() || self.is_passing_from(first) {
            return lasting;
        }
        self.kinds(first, context)
            .or_else(|| self.framed(first, context))
            .or_else(|| self.conduct(first, context))
            .or_else(|| self.addressed(first, context))
    }

    /// Returns the first token behind "by the way" and the like, and whether the sentence begins or ends so.
    pub(super) fn past_asides(&self, mut first: usize) -> (usize, bool) {
        let s = self.sentence;
        // A phrase may begin with words that mean nothing alone: "just so we're clear".
        let begins = (0..=first).find_map(|at| Some(at + s.reads_any(at, ASIDES)?));
        if let Some(end) = begins {
            first = self.content(end + usize::from(s.is(end, &["that"])));
        }
        let comma = (first..s.len()).rev().find(|at| s.mark(*at) == Some(','));
        let ends = comma.and_then(|at| Some(at + 1 + s.reads_any(at + 1, ASIDES)?));
        (first, begins.is_some() || ends == Some(s.len()))
    }

    /// Returns the kinds of wishes that the words of a sentence allow. Most sentences allow none, so that the
    /// grammar of these wishes costs little.
    fn signals(&self, first: usize) -> u16 {
        let s = self.sentence;
        let mut signals = match s.word(first) {
            "fyi" | "psa" | "for" | "so" | "you" | "i" | "i'm" | "we" | "we're" | "my" | "our" | "half"
            | "most" => FACT,
            "assume" | "treat" | "consider" | "if" | "when" | "once" | "before" | "after" | "leave"
            | "ask" | "get" => SCOPE,
            "every" | "each" | "any" | "all" | "anything" | "everything" | "whatever" | "nothing"
            | "nobody" | "one" => CUSTOM,
            "less" | "fewer" | "more" | "shorter" | "longer" | "simpler" | "short" | "brief" | "concise"
            | "terse" | "plain" | "smaller" | "small" => FRAGMENT,
            _ => 0,
        };
        for at in first..s.len() {
            signals |= match s.word(at) {
                "we" | "our" | "us" | "here" => CUSTOM | TASTE | NORM,
                "optional" | "negotiable" | "non-negotiable" | "sacred" | "sacrosanct" | "first" | "this" => {
                    CUSTOM
                }
                "i" | "i'd" | "i'm" | "i've" | "i'll" | "my" | "we'd" | "we're" | "fan" | "beat"
                | "makes" | "gives" | "keen" => TASTE,
                "till" | "until" | "while" | "you" | "me" => SCOPE,
                "only" | "please" | "over" => FRAGMENT,
                "" if at < first + 6 && s.mark(at) == Some(',') => FRAGMENT,
                "beats" | "drive" | "drives" | "cringe" | "nerves" => TASTE,
                "here," => CUSTOM,
                "go" | "belong" | "live" | "get" | "stay" | "start" | "end" | "come" | "carry" | "are"
                | "must"
                    if at < first + 5 =>
                {
                    CUSTOM
                }
                _ => 0,
            };
        }
        signals |= match s.word(first) {
            "in" | "on" | "at" | "within" | "every" | "each" | "all" | "any" | "new" | "a" | "an"
            | "nobody" | "no" | "max" | "maximum" | "limit" | "cap" | "before" | "when" | "after" | "the"
            | "our" | "my" | "house" | "we" | "we've" | "we're" | "everyone" | "everybody" | "people"
            | "folks" | "this" | "i" | "i'll" | "you" => NORM,
            _ => 0,
        };
        let last = s.word(s.len() - 1);
        if matches!(
            last,
            "exceptions"
                | "exception"
                | "excuses"
                | "time"
                | "stop"
                | "period"
                | "always"
                | "approval"
                | "ok"
                | "okay"
                | "sign-off"
                | "permission"
        ) {
            signals |= NORM;
        }
        if matches!(last, "everywhere" | "throughout" | "better")
            || s.is(first, &["rather", "better", "plain", "not", "two", "four", "single", "double"])
            || s.is(first, STYLE)
        {
            signals |= FRAGMENT | TASTE;
        }
        let verb = if s.is(first, &["you", "u"]) { first + 2 } else { first };
        let is_manner = matches!(
            s.word(verb),
            "skip"
                | "drop"
                | "lose"
                | "ditch"
                | "omit"
                | "spare"
                | "cut"
                | "leave"
                | "scrap"
                | "forget"
                | "dispense"
                | "save"
                | "hold"
                | "lay"
                | "knock"
                | "quit"
                | "enough"
                | "stop"
                | "that's"
                | "that"
                | "hands"
                | "fingers"
                | "paws"
                | "keep"
                | "stay"
                | "make"
                | "limit"
                | "start"
                | "end"
                | "begin"
                | "format"
                | "write"
                | "phrase"
                | "be"
                | "answer"
                | "reply"
                | "respond"
                | "talk"
                | "speak"
                | "explain"
                | "describe"
                | "call"
                | "address"
                | "name"
                | "spell"
                | "indent"
                | "quote"
                | "prefix"
                | "cite"
                | "wrap"
                | "capitalise"
                | "capitalize"
                | "put"
                | "sign"
                | "squash"
                | "mind"
                | "use"
                | "show"
                | "give"
                | "send"
                | "choose"
                | "pick"
                | "return"
                | "throw"
                | "raise"
                | "take"
                | "go"
                | "document"
                | "don't"
                | "dont"
                | "do"
                | "no"
                | "just"
                | "always"
                | "feel"
                | "ease"
                | "tone"
                | "dial"
                | "less"
                | "get"
                | "tell"
                | "present"
                | "summarise"
                | "summarize"
                | "try"
                | "aim"
        );
        if is_manner || verb > first {
            signals |= MANNER;
        }
        signals
    }

    /// "Would it kill you to …", "Is it too much to ask to …": questions that need no answer.
    pub(super) fn rhetorical(&self) -> Option<Wish> {
        const OPENINGS: [&[&str]; 14] = [
            &["how", "about", "you", "stop"],
            &["can", "we", "agree", "on"],
            &["can", "we", "agree", "to"],
            &["can", "we", "agree", "that"],
            &["could", "we", "agree", "on"],
            &["could", "we", "agree", "to"],
            &["could", "we", "agree", "that"],
            &["can", "we", "stop"],
            &["can", "we", "please", "stop"],
            &["would", "it", "kill", "you", "to"],
            &["would", "it", "hurt", "to"],
            &["is", "it", "too", "much", "to", "ask"],
            &["is", "it", "so", "hard", "to"],
            &["how", "hard", "is", "it", "to"],
        ];
        let s = self.sentence;
        let first = self.content(0);
        if let Some(wish) = self.asked_to_stop(first) {
            return Some(wish);
        }
        let opening = OPENINGS.iter().find(|words| s.reads(first, words))?;
        let mut start = first + opening.len();
        if s.is(start, &["to", "that", "for"]) {
            start += 1;
        }
        let mode = if self.mode_at(start) == Mode::Never { Mode::Never } else { Mode::Prefer };
        (start + 1 < s.len()).then(|| self.to_the_end(mode, start))
    }

    /// "Is there any way you could stop adding summaries?"
    fn asked_to_stop(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_request = s.is(first, &["is", "any", "would", "could", "can", "do", "may", "what"]);
        let you = (first + 1..s.len().min(first + 9)).find(|at| {
            s.is(*at, &["you"]) && s.is(at + 1, &["could", "can", "would", "might", "will", "to", "please"])
        })?;
        let stop = you + 2;
        let stops = s.is(stop, &["stop", "quit"])
            && goes_on(s, stop + 1)
            && !s.is(stop + 2, &["the", "this", "that"]);
        (is_request && stops).then(|| Wish { mode: Mode::Stop, tokens: first..s.len() })
    }

    /// Returns a wish from `start` to the end of its clause.
    fn to_the_end(&self, mode: Mode, start: usize) -> Wish {
        let s = self.sentence;
        let end = (start + 2..s.len()).find(|at| self.ends_clause(*at, start)).unwrap_or(s.len());
        let mut end = end;
        while end > start + 1 && self.is_trailing(end - 1) {
            end -= 1;
        }
        Wish { mode, tokens: start..end }
    }

    /// Returns the first of `words` from `from` on, within `count` tokens and before a punctuation mark.
    fn find_near(&self, from: usize, count: usize, words: &[&str]) -> Option<usize> {
        let s = self.sentence;
        // The slash at the end of a folder's name ends no part of the sentence.
        let is_open = |at: &usize| s.mark(*at).is_none_or(|mark| mark == '/');
        (from..s.len().min(from + count)).take_while(is_open).find(|at| s.is(*at, words))
    }

    /// Whether any token from `from` on is one of `words`.
    fn has_from(&self, from: usize, words: &[&str]) -> bool {
        (from..self.sentence.len()).any(|at| self.sentence.is(at, words))
    }

    /// Returns the token after "in this repository", "around here", "with us" at `at`.
    fn past_place(&self, at: usize) -> Option<usize> {
        let s = self.sentence;
        if s.is(at, &["around", "over", "round"]) && s.is(at + 1, &["here"]) {
            return Some(at + 2);
        }
        if s.is(at, &["with", "for", "among"]) && s.is(at + 1, &["us"]) {
            return Some(at + 2);
        }
        if s.is(at, &["on"]) && s.is(at + 1, &["our"]) && s.is(at + 2, &["side", "end"]) {
            return Some(at + 3);
        }
        let is_ours = s.is(at, &["in", "on", "at", "within", "inside", "across"])
            && s.is(at + 1, &["this", "our", "my", "the"]);
        if !is_ours {
            return None;
        }
        let noun = (at + 2..at + 4).find(|at| s.is(*at, AT_WORK))?;
        Some(noun + 1)
    }

    /// Whether the object at `at` is a plural or a style, and not one certain thing.
    fn is_kind(&self, at: usize) -> bool {
        let s = self.sentence;
        let ends = self.object_end(at);
        let is_pointed = (at..ends).any(|at| {
            s.is(
                at,
                &[
                    "the", "this", "that", "these", "those", "it", "them", "his", "her", "its", "him", "me",
                    "us", "here", "too", "there", "another", "one",
                ],
            )
        });
        ends > at
            && !is_pointed
            && (self.is_plural(at, ends)
                || (at..ends).any(|at| {
                    s.is(at, STYLE) || s.is(at, &["code", "prose", "data", "documentation", "text"])
                }))
    }

    /// Returns the end of the object at `at`: before a preposition, a mark or a conjunction.
    fn object_end(&self, at: usize) -> usize {
        let s = self.sentence;
        (at..s.len().min(at + 6))
            .find(|at| {
                s.mark(*at).is_some()
                    || s.is(
                        *at,
                        &[
                            "in", "on", "for", "to", "of", "at", "by", "with", "under", "over", "below",
                            "above", "like", "as", "and", "or", "rather", "instead", "than", "better",
                            "more", "when", "if", "unless", "after", "before", "from", "into", "without",
                            "up", "out", "so",
                        ],
                    )
            })
            .unwrap_or(s.len().min(at + 6))
    }

    /// Whether the words from `at` on are about one thing or one task.
    fn is_passing_from(&self, at: usize) -> bool {
        let s = self.sentence;
        let ends = (at + 2..s.len())
            .find(|at| matches!(s.mark(*at), Some(',' | ';' | '—' | '–')) && s.is(at + 1, SUBJECTS))
            .unwrap_or(s.len());
        self.is_soon_over(at..ends)
            || (at..s.len()).any(|at| {
                (s.is(at, &["later", "afterwards", "tonight", "once"])
                    && !s.is(at.wrapping_sub(1), &["not", "nor"]))
                    || (s.is(at, &["chapter", "line", "row", "figure", "page", "step", "table", "section"])
                        && s.word(at + 1).starts_with(|c: char| c.is_ascii_digit()))
            })
    }
}
