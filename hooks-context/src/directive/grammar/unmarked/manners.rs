//! Manners: wishes about all answers, and instructions about a kind of thing.

use super::super::{Wish, WishParser};
use super::{ANSWERS, CHAT, Context, MATERIALS, STYLE, TERSE};
use crate::directive::Mode;
use crate::directive::words::{OF_WORK, SUBJECTS, VERBS};

/// Verbs that leave something out.
const DROPPING: &[&str] = table!("unmarked_dropping");

/// Things that an agent does in an answer.
const TALKING: &[&str] = table!("unmarked_talking");

impl WishParser<'_> {
    /// Returns the wish of an instruction that is about all answers or about a kind of thing.
    pub(super) fn manner(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        if self.is_passing_from(first) {
            return None;
        }
        let mut verb = first;
        if s.is(verb, &["you", "u"]) && s.is(verb + 1, &["can", "may", "could", "might", "should"]) {
            verb += 2;
        }
        while s.is(verb, &["just", "please", "safely", "feel", "free", "to", "always"]) {
            verb += 1;
        }
        // "Try to keep lines short."
        if s.is(verb, &["try", "aim"]) && s.is(verb + 1, &["to"]) {
            let wish = self.answer_like(verb + 2).or_else(|| self.kind_like(verb + 2, context))?;
            return Some(Wish { mode: Mode::Prefer, tokens: verb..wish.tokens.end });
        }
        self.dropped_for_good(first, verb)
            .or_else(|| self.hands_off(first))
            .or_else(|| self.answer_like(verb))
            .or_else(|| self.kind_like(verb, context))
            .or_else(|| self.unshadowed(verb))
    }

    /// "You can skip the recap.", "Lay off the puns.", "That's the last time you …"
    fn dropped_for_good(&self, first: usize, verb: usize) -> Option<Wish> {
        let s = self.sentence;
        let often = self.has_from(verb, &["every", "each", "always", "constantly", "all"]);
        let is_chat = (verb + 1..s.len().min(verb + 9)).any(|at| s.is(at, CHAT));
        let is_chat_dropped = is_chat
            && (verb > first
                || often
                || self.is_plural(verb + 1 + usize::from(s.is(verb + 1, &["the", "all", "your"])), s.len())
                || s.is(verb, &["drop", "lose", "ditch", "spare"]));
        let is_rid = s.reads(verb, &["get", "rid", "of"]) && is_chat;
        let is_dropped =
            is_rid || s.is(verb, DROPPING) && (is_chat_dropped || (often && self.has_from(verb, ANSWERS)));
        let needless = (s.is(first, &["you"])
            && s.is(first + 1, &["don't", "needn't"])
            && s.is(first + 2, &["need", "have"]))
            || (s.is(first, &["no"]) && s.is(first + 1, &["need"]));
        let is_needless = needless
            && (self.has_from(first, TALKING) || is_chat || (first..s.len()).any(|at| s.is(at, CHAT)))
            && !self.has_from(first, &["that", "error", "output"]);
        let off = (s.is(first, &["lay", "knock", "leave"]) && s.is(first + 1, &["off"]))
            || (s.is(first, &["knock", "cut", "quit"])
                && s.is(first + 1, &["it"])
                && self.find_near(first, 5, &["with"]).is_some())
            || (s.is(first, &["enough"]) && s.is(first + 1, &["of", "with"]))
            || (s.is(first, &["quit", "stop"]) && s.is(first + 1, &["with"]));
        let last_time = s.is(first, &["that's", "that"])
            && self
                .find_near(first, 5, &["last", "second", "third", "fourth", "fifth", "tenth"])
                .is_some_and(|at| s.is(at + 1, &["time"]) && s.is(at + 2, &["you"]));
        let eases = (s.is(first, &["ease", "cut", "tone", "dial", "hold"])
            && s.is(first + 1, &["up", "down", "back"])
            && (s.is(first + 2, &["on", "the"])))
            || (s.is(first, &["go"]) && s.is(first + 1, &["easy", "light"]) && s.is(first + 2, &["on"]))
            || (s.is(first, &["less"]) && s.is(first + 1, &["of"]));
        let off = off || eases;
        let spares = s.is(first, &["spare", "save"]) && s.is(first + 1, &["me", "us"]);
        let holds = is_dropped || is_needless || (off && s.len() > first + 2) || last_time || spares;
        let start = if is_dropped { verb } else { first };
        holds.then(|| self.to_the_end(Mode::Stop, start))
    }

    /// "Hands off the vendored code.", "Stay out of `infra`."
    fn hands_off(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let mut at = first;
        if s.is(at, &["keep"]) && s.is(at + 1, &["your"]) {
            at += 2;
        }
        let holds = (s.is(at, &["hands", "fingers", "paws"]) && s.is(at + 1, &["off"]))
            || (s.is(at, &["keep", "stay"])
                && s.is(at + 1, &["out", "away", "off"])
                && s.is(at + 2, &["of", "from"]))
            || (s.is(at, &["keep", "stay"]) && s.is(at + 1, &["off"]));
        (holds && s.len() > at + 2).then(|| self.to_the_end(Mode::Never, first))
    }

    /// "Keep your answers short.", "Be brief.", "Answer in German.", "Call me Kim."
    fn answer_like(&self, verb: usize) -> Option<Wish> {
        const LANGUAGES: [&str; 18] = [
            "english",
            "german",
            "french",
            "spanish",
            "italian",
            "dutch",
            "portuguese",
            "polish",
            "russian",
            "ukrainian",
            "turkish",
            "chinese",
            "japanese",
            "korean",
            "arabic",
            "hindi",
            "swedish",
            "danish",
        ];
        let s = self.sentence;
        let is_one = s.is(verb, &["write", "format", "start", "end", "begin", "make"])
            && !self.is_plural(verb + 2, verb + 3);
        let is_answer = s.is(verb + 2, ANSWERS)
            && (s.is(verb + 1, &["your", "all"]) || s.is(verb + 1, &["the"]) && !is_one)
            || s.is(verb + 1, ANSWERS) && !s.is(verb + 2, &["to", "in"]);
        let keeps = s
            .is(verb, &["keep", "make", "limit", "start", "end", "begin", "format", "write", "phrase"])
            && is_answer
            && s.len() > verb + 3;
        let is_terse = s.is(verb, &["be"])
            && (verb + 1..verb + 4).any(|at| s.is(at, TERSE))
            && !self.has_from(verb, &["about", "the", "careful"]);
        let speaks = s.is(verb, &["answer", "reply", "respond", "talk", "speak", "explain"])
            && ((verb + 1..verb + 4).any(|at| {
                s.is(at, &["in"])
                    && (at == verb + 1 || s.is(at - 1, &["me", "everything", "things", "always", "only"]))
                    && (s.is(at + 1, &LANGUAGES) || s.is(at + 2, &["sentences", "words", "english", "lines"]))
            }) || s.is(verb + 1, &["briefly", "concisely", "tersely", "shortly"]));
        let calls = s.is(verb, &["call", "address"])
            && s.is(verb + 1, &["me"])
            && !s.word(verb + 2).is_empty()
            && !s.is(verb + 2, &["when", "if", "back", "later", "at"]);
        let addresses = s.is(verb, &["talk", "speak", "write"])
            && s.reads(verb + 1, &["to", "me"])
            && s.is(verb + 3, &["like", "as"]);
        let explains = addresses
            || s.is(verb, &["explain", "describe"])
                && self.has_from(verb, &["like", "as"])
                && self.has_from(verb, &["i'm", "five"])
                && !s.is(verb + 1, &["it", "this", "that"]);
        if calls {
            return Some(self.to_the_end(Mode::Remember, verb));
        }
        (keeps || is_terse || speaks || explains).then(|| self.to_the_end(Mode::Always, verb))
    }

    /// "Keep functions under forty lines.", "Show me diffs rather than whole files.", "Use guard clauses."
    fn kind_like(&self, verb: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let object = verb + 1 + usize::from(s.is(verb + 1, &["me", "us"]));
        let compares = (object + 1..s.len()).any(|at| {
            s.reads(at, &["rather", "than"])
                || s.reads(at, &["instead", "of"])
                || s.is(at, &["over"]) && s.is(verb, &["use", "choose", "pick"])
                || (s.mark(at) == Some(',') && s.is(at + 1, &["not", "never"]))
        });
        let is_pointed = (object..s.len()).any(|at| {
            s.is(at, &["this", "these", "those", "that", "both", "them"]) || s.word(at).contains(['/', '.'])
        });
        if is_pointed || context.builds || !self.is_kind(object) {
            return None;
        }
        let ends = self.object_end(object);
        let is_made = (object..ends).any(|at| s.is(at, MATERIALS) || s.is(at, OF_WORK) || s.is(at, STYLE));
        let says_how = ends < s.len() && s.mark(ends).is_none() || self.is_followed_by_manner(object, ends);
        let chosen = compares
            && s.is(
                verb,
                &[
                    "show", "give", "send", "use", "write", "choose", "pick", "return", "throw", "raise",
                    "put", "take", "go",
                ],
            );
        let kept = s.is(
            verb,
            &[
                "keep",
                "name",
                "spell",
                "indent",
                "quote",
                "prefix",
                "cite",
                "wrap",
                "capitalise",
                "capitalize",
                "put",
                "sign",
                "squash",
                "mind",
            ],
        ) && is_made
            && says_how;
        let written = s.is(verb, &["write", "document"])
            && is_made
            && s.is(ends, &["in", "like", "as"])
            && (ends + 1..s.len().min(ends + 5)).any(|at| s.is(at, STYLE));
        // A manner of doing a kind of thing, wherever it occurs: "Give times in UTC.", "Wrap lines at 100 columns."
        let is_general =
            !(object..s.len()).any(|at| s.is(at, &["the", "my", "your", "its", "there", "here"]));
        let mannered = s.is(
            verb,
            &[
                "wrap",
                "keep",
                "name",
                "quote",
                "cite",
                "give",
                "mention",
                "link",
                "express",
                "state",
                "spell",
                "phrase",
                "round",
                "sort",
                "limit",
                "abbreviate",
                "capitalise",
                "capitalize",
                "separate",
                "group",
                "comment",
                "document",
                "mark",
                "flag",
                "note",
                "treat",
                "put",
                "mind",
                "pin",
                "sign",
                "indent",
                "prefix",
                "suffix",
                "align",
                "break",
                "favour",
                "favor",
                "reserve",
                "hide",
                "quote",
                "number",
                "date",
                "label",
                "annotate",
                "squash",
                "split",
                "respect",
            ],
        ) && is_general
            && !(s.is(verb, &["give"]) && object > verb + 1)
            && (says_how || is_made)
            && s.len() < verb + 14;
        let kept = kept || written || mannered;
        let used = s.is(verb, &["use"])
            && s.len() < verb + 9
            && (object..ends).any(|at| s.is(at, STYLE))
            && !self.has_from(ends, &["in"])
            && !(ends..s.len()).any(|at| s.is(at, &["the", "my", "now"]));
        let used = used
            || s.is(verb, &["use"])
                && ends >= s.len()
                && ends <= object + 3
                && s.is(ends - 1, OF_WORK)
                && s.word(ends - 1).ends_with('s');
        let mode = if chosen { Mode::Prefer } else { Mode::Always };
        (chosen || kept || used).then(|| self.to_the_end(mode, verb))
    }

    /// Whether the object contains its manner: "keep commits small".
    fn is_followed_by_manner(&self, object: usize, ends: usize) -> bool {
        let s = self.sentence;
        ends > object + 1
            && s.is(
                ends - 1,
                &[
                    "small",
                    "short",
                    "simple",
                    "brief",
                    "atomic",
                    "focused",
                    "lowercase",
                    "sorted",
                    "minimal",
                    "flat",
                    "pure",
                    "private",
                    "tidy",
                    "readable",
                    "clean",
                ],
            )
    }

    /// "Don't shadow builtins.", "Don't guess API signatures, look them up."
    fn unshadowed(&self, at: usize) -> Option<Wish> {
        let s = self.sentence;
        let verb = match s.word(at) {
            "don't" | "dont" => at + 1,
            "do" if s.is(at + 1, &["not"]) => at + 2,
            _ => return None,
        };
        let is_plain = !s.is(
            verb,
            &[
                "worry", "forget", "panic", "wait", "let", "be", "know", "see", "get", "mind", "create",
                "add", "include", "show", "print",
            ],
        );
        let says_sorry = s.is(verb, TALKING)
            && (verb + 1 >= s.len()
                || s.mark(verb + 1).is_some()
                || s.is(verb + 1, &["so", "for", "to", "when"]));
        let is_general = self.is_kind(verb + 1) && !s.is(verb + 1, SUBJECTS);
        (is_plain && self.is_verb(verb) && (is_general || says_sorry))
            .then(|| self.to_the_end(Mode::Never, at))
    }

    /// Whether an instruction begins at `at`.
    pub(super) fn is_imperative(&self, at: usize) -> bool {
        let s = self.sentence;
        (s.is(at, VERBS) || s.is(at, &["don't", "run", "say", "ask"]))
            && !s.is(at + 1, &["is", "are", "was", "has"])
    }
}
