//! Customs: "we use tabs here", "our commits start with a verb", "tests come first with me".

use super::super::{Wish, WishParser};
use super::{Context, MATERIALS, STATES, STATIVE, STYLE};
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{HAPPENING, OF_WORK, PAST, VERBS};

/// Verbs of the way in which a team works.
const CUSTOMARY: &[&str] = table!("unmarked_customary");

impl WishParser<'_> {
    /// Returns the wish of a statement about the way in which a team works.
    pub(super) fn custom(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        self.we_do(first, context)
            .or_else(|| self.ours_are(first))
            .or_else(|| self.principle(first))
            .or_else(|| self.every_one(first))
            .or_else(|| self.kind_goes(first, context))
    }

    /// "We use tabs here.", "Around here we squash.", "We write docs in German, not English."
    fn we_do(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        let s = self.sentence;
        let place = self.past_place(first).or_else(|| s.is(first, &["here"]).then_some(first + 1));
        let we = place.map_or(first, |place| self.content(place));
        if !s.is(we, &["we"]) {
            return None;
        }
        let mut verb = we + 1;
        while s.is(
            verb,
            &["all", "only", "generally", "usually", "typically", "also", "just", "still", "do", "always"],
        ) {
            verb += 1;
        }
        if s.reads(verb, &["try", "to"]) || s.reads(verb, &["like", "to"]) {
            verb += 2;
        }
        let is_negated = s.is(verb, &["don't", "never", "not"]);
        verb += usize::from(is_negated);
        let is_habit = self.is_verb(verb)
            && !s.is(verb, HAPPENING)
            && !s.is(verb, PAST)
            && !s.is(
                verb,
                &[
                    "are",
                    "can",
                    "could",
                    "will",
                    "would",
                    "should",
                    "must",
                    "need",
                    "may",
                    "might",
                    "have",
                    "be",
                    "don't",
                    "can't",
                    "won't",
                    "got",
                    "currently",
                    "now",
                    "recently",
                    "moved",
                    "go",
                    "come",
                ],
            );
        if !is_habit || self.is_passing_from(verb) {
            return None;
        }
        let is_here = place.is_some()
            || (verb + 1..s.len()).any(|at| {
                (s.is(at, &["here"]) && self.closes(at))
                    || self.past_place(at).is_some_and(|_| !s.is(at + 1, &["the"]))
            });
        let compares = (verb + 1..s.len()).any(|at| {
            (s.mark(at) == Some(',') && s.is(at + 1, &["not", "never", "no"]))
                || (s.mark(at) == Some(',') && s.is(at + 1, &["we"]) && s.is(at + 2, &["don't", "never"]))
                || s.reads(at, &["instead", "of"])
                || s.reads(at, &["rather", "than"])
        });
        // "We use Tailwind for all styling."
        let for_all = (verb + 1..s.len()).any(|at| {
            s.is(at, &["for", "in", "on"]) && s.is(at + 1, &["all", "every", "each", "everything"])
        });
        let is_style = s.is(verb, CUSTOMARY) && (compares || for_all || self.has_style(verb + 1));
        // "We write our docs in plain English.": a present without a report after it.
        let is_plain = s.is(verb, CUSTOMARY) && !s.is(verb, &["use", "report", "test", "number", "run"])
            || (is_negated && self.is_kind(verb + 1));
        let is_report = (verb + 1..s.len()).any(|at| {
            s.is(
                at,
                &[
                    "but",
                    "because",
                    "since",
                    "why",
                    "which",
                    "error",
                    "errors",
                    "fails",
                    "it",
                    "they",
                    "currently",
                    "yet",
                ],
            ) || (s.word(at).starts_with(|c: char| c.is_ascii_digit())
                && !s.is(verb, &["follow", "keep", "stick"]))
        });
        let is_style = is_style || (is_plain && !is_report && s.len() > verb + 1);
        let mode = if is_negated { Mode::Never } else { Mode::Always };
        (is_here || (is_style && !context.builds)).then(|| self.to_the_end(mode, we))
    }

    fn has_style(&self, from: usize) -> bool {
        let s = self.sentence;
        (from..self.object_end(from)).any(|at| s.is(at, STYLE))
    }

    /// "Our commits start with a verb.", "Branch names in this repo look like …"
    fn ours_are(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_ours = s.is(first, &["our"])
            || (s.is(first, &["all", "every", "each"]) && s.is(first + 1, &["our", "of"]));
        let is_placed = || {
            (first + 1..first + 7).any(|at| {
                s.is(at + 1, &["this", "our", "my", "the"])
                    && s.is(at, &["in", "on", "at", "of", "for", "within", "inside", "across"])
            })
        };
        if !is_ours && !is_placed() {
            return None;
        }
        let verb = self.find_near(first + 1, 9, STATIVE)?;
        let named = (first..verb).any(|at| s.is(at, MATERIALS) || (s.is(at, OF_WORK) && is_ours));
        let placed = (first + 1..verb).any(|at| {
            self.past_place(at) == Some(verb) || (s.is(at, &["in", "of", "for"]) && s.is(at + 1, &["our"]))
        });
        let compares =
            (verb..s.len()).any(|at| s.mark(at) == Some(',') && s.is(at + 1, &["not", "never", "no"]));
        let named = named || (is_ours && compares);
        if !named || !(is_ours || placed) || s.is(first, &["the", "this", "that"]) {
            return None;
        }
        (self.is_stated(verb)).then(|| self.to_the_end(Mode::Always, first))
    }

    /// Whether the words after the verb are a custom, and not a passing state.
    pub(super) fn is_stated(&self, verb: usize) -> bool {
        let s = self.sentence;
        let next =
            verb + 1 + usize::from(s.is(verb + 1, &["all", "always", "still", "just", "now", "never"]));
        let is_state = s.is(next, STATES) || goes_on(s, next) || s.is(next, &["been", "failed"]);
        let is_duty = s.is(next, &["to"]) && s.is(verb, &["have", "has", "are", "is"]);
        let is_count =
            s.is(verb, &["have", "has", "are"]) && s.word(next).starts_with(|c: char| c.is_ascii_digit());
        let is_report = (verb..s.len())
            .any(|at| s.is(at, &["error", "errors", "bug", "bugs", "fail", "fails", "why", "because"]));
        // "Our files are huge" states a fact about them.
        let is_fact = s.is(verb, &["are", "is"])
            && !s.is(next, STYLE)
            && !s.is(
                next,
                &[
                    "in",
                    "written",
                    "named",
                    "formatted",
                    "kept",
                    "signed",
                    "lowercase",
                    "uppercase",
                    "short",
                    "small",
                    "imperative",
                    "squashed",
                    "prefixed",
                    "sorted",
                    "stored",
                    "tracked",
                    "documented",
                    "typed",
                    "one",
                    "two",
                    "immutable",
                    "private",
                    "pure",
                    "capitalised",
                    "capitalized",
                    "singular",
                    "plural",
                    "pinned",
                    "generated",
                    "reviewed",
                    "tagged",
                    "mine",
                ],
            );
        let is_led = match s.word(verb) {
            "go" | "goes" | "come" => s.is(
                next,
                &[
                    "in", "into", "under", "to", "through", "above", "below", "at", "on", "via", "next",
                    "beside", "before", "after",
                ],
            ),
            "start" | "starts" | "end" | "ends" | "begin" | "begins" => {
                s.is(next, &["with", "in", "on", "at", "without", "by"])
            }
            "get" | "gets" => {
                s.is(next, &["a", "an", "one", "their", "its", "no", "two", "their"])
                    || self.is_kind(next)
                    || (s.word(next).ends_with("ed")
                        && s.is(next + 1, &["with", "by", "before", "at", "in", "to"]))
            }
            _ => true,
        };
        !is_fact
            && is_led
            && !is_state
            && !is_duty
            && !is_count
            && !is_report
            && !s.word(next).is_empty()
            && !self.is_passing_from(verb)
    }

    /// "Accessibility isn't optional with us.", "Tests come first.", "On our side, code gets formatted."
    fn principle(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let is_firm = (first + 1..s.len().min(first + 6)).any(|at| {
            (s.is(at, &["isn't", "aren't", "not"]) && s.is(at + 1, &["optional", "negotiable", "debatable"]))
                || s.is(at, &["non-negotiable", "sacrosanct", "sacred"])
                || (s.is(at, &["come", "comes", "go", "goes"])
                    && s.is(at + 1, &["first"])
                    && self.has_from(at, &["me", "us", "here"]))
                || (s.is(at, &["is", "are"]) && s.is(at + 1, &["a"]) && s.is(at + 2, &["must"]))
        });
        if is_firm && !self.is_passing_from(s.len()) && !s.is(first, &["it", "this", "that", "the", "there"])
        {
            return Some(Wish { mode: Mode::Always, tokens: first..s.len() });
        }
        let is_house = s.is(first, &["it's"])
            && (first + 2..s.len()).any(|at| self.past_place(at).is_some())
            && self.has_from(first, &["not", "only"]);
        let is_way = s.reads(first, &["the", "way", "we"]) && self.has_from(first, &["here"]);
        if is_house || is_way {
            return Some(Wish { mode: Mode::Always, tokens: first..s.len() });
        }
        let place = self.past_place(first).filter(|_| s.is(first, &["on", "with", "at", "around"]))?;
        let start = self.content(place);
        let verb = self.find_near(start + 1, 5, STATIVE)?;
        let is_plain = !s.is(start, &["i", "it", "there", "this", "that", "you", "the"]);
        (is_plain && self.is_stated(verb)).then(|| self.to_the_end(Mode::Always, start))
    }

    /// "Every function you write needs a docstring.", "Nothing gets merged without a review."
    fn every_one(&self, first: usize) -> Option<Wish> {
        const DUE: [&str; 10] =
            ["needs", "need", "gets", "get", "has", "must", "should", "goes", "go", "requires"];
        let s = self.sentence;
        let you = self.find_near(first + 1, 6, &["you"]);
        let is_made = s.is(first, &["every", "each", "any", "all", "anything", "everything", "whatever"])
            && you.is_some_and(|you| {
                s.is(
                    you + 1,
                    &[
                        "write",
                        "add",
                        "touch",
                        "create",
                        "make",
                        "change",
                        "build",
                        "ship",
                        "commit",
                        "introduce",
                    ],
                ) && self.find_near(you + 2, 4, &DUE).is_some()
            });
        let through = s.is(first, &["anything", "everything", "all"])
            && (first + 1..s.len())
                .any(|at| s.is(at, &["through", "past", "by", "via"]) && s.is(at + 1, &["me", "us", "my"]));
        if is_made || through {
            return Some(self.to_the_end(Mode::Always, first));
        }
        let is_barred = s.is(first, &["nothing", "nobody"])
            && s.is(first + 1, &["gets", "goes", "is", "lands", "ships", "leaves", "touches", "enters"])
            && self.has_from(first + 2, &["without", "unless", "before", "until"]);
        let per = s.is(first, &["one"])
            && self
                .find_near(first + 1, 4, &["per"])
                .is_some_and(|per| per + 3 >= s.len() || s.mark(per + 2).is_some());
        if per {
            return Some(self.to_the_end(Mode::Always, first));
        }
        (is_barred && !self.is_passing_from(first)).then(|| self.to_the_end(Mode::Never, first))
    }

    /// "Scratch files go to /tmp, not into my repo.", "System packages are mine to install."
    fn kind_goes(&self, first: usize, context: &Context<'_>) -> Option<Wish> {
        const GOING: [&str; 11] =
            ["go", "belong", "live", "get", "stay", "start", "end", "come", "carry", "are", "need"];
        let s = self.sentence;
        if !(first..first + 4).any(|at| s.word(at).ends_with('s')) {
            return None;
        }
        let verb = self.find_near(first + 1, 4, &GOING)?;
        let is_negated = verb > first + 1 && s.is(verb - 1, &["don't", "never"]);
        let head = verb - 1 - usize::from(is_negated);
        let is_bare = (first..=head).all(|at| {
            !s.word(at).is_empty()
                && !s.is(at, VERBS)
                && !s.is(
                    at,
                    &[
                        "the", "these", "those", "my", "your", "his", "their", "i", "you", "we", "they",
                        "to", "users", "people", "there", "which", "that", "all", "both", "some",
                    ],
                )
        }) || (s.is(head, MATERIALS) && first == head);
        if !is_bare || !self.is_plural(head, head + 1) || self.is_passing_from(verb) {
            return None;
        }
        let is_mine = s.is(verb, &["are", "stay"])
            && (s.is(verb + 1, &["mine"])
                || (s.is(verb + 1, &["my"])
                    && s.is(verb + 2, &["job", "call", "business", "department", "responsibility"])))
            || (s.is(verb, &["stay"]) && s.is(verb + 1, &["with"]) && s.is(verb + 2, &["me"]));
        if is_mine {
            return Some(self.to_the_end(Mode::Never, first));
        }
        let is_made = s.is(head, MATERIALS) || s.is(head, OF_WORK);
        let compares = (verb..s.len()).any(|at| s.mark(at) == Some(',') && s.is(at + 1, &["not", "never"]));
        let is_made_so = s.is(verb, &["are"]) && is_made && self.is_stated(verb) && !context.builds;
        let is_out = is_negated && s.is(verb, &["go", "belong", "live"]) && is_made;
        if is_made_so || is_out {
            return Some(self.to_the_end(if is_out { Mode::Never } else { Mode::Always }, first));
        }
        let is_custom = s.is(verb, &["go", "belong", "live", "get", "stay", "start", "end", "carry"])
            && (is_made || compares)
            && !context.builds
            && self.is_stated(verb)
            && (!s.is(verb + 1, &["missing", "lost", "through", "up", "down", "out"])
                || s.reads(verb + 1, &["out", "of"]));
        is_custom.then(|| self.to_the_end(Mode::Always, first))
    }
}
