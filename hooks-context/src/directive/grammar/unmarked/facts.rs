//! Facts about the user and the team: "fyi I work on a Dvorak layout".

use super::super::{Wish, WishParser};
use super::STATES;
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::words::{HAPPENING, PAST};

/// Things of a user that matter for all work.
const OWNED: &[&str] = table!("unmarked_owned");

impl WishParser<'_> {
    /// Returns the fact that a sentence announces, or that has a consequence for the work.
    pub(super) fn fact(&self, first: usize) -> Option<Wish> {
        let s = self.sentence;
        let announced = self.past_announcement(first);
        let start = announced.map_or(first, |at| self.content(at));
        let is_noted =
            announced.is_some_and(|_| s.is(first + 2, &["notes", "memory", "records", "files", "reference"]));
        let is_labelled = announced.is_some_and(|at| s.mark(at) == Some(':'));
        let is_stated = self.is_lasting_fact(start, is_noted)
            || (is_noted && is_labelled)
            || s.reads(first, &["you", "should", "know", "that"]);
        let is_own = s.is(start, &["my"])
            && s.is(start + 1, OWNED)
            && s.is(start + 2, &["is"])
            && !s.word(start + 3).is_empty()
            && !s.is(start + 3, STATES)
            && !s.is(start + 3, &["not", "set", "used"])
            && !goes_on(s, start + 3);
        let has_consequence = || {
            (start..s.len()).any(|at| {
                s.mark(at) == Some(',')
                    && s.is(at + 1, &["so"])
                    && (s.is(
                        at + 2,
                        &[
                            "no", "don't", "never", "always", "only", "keep", "please", "avoid", "use",
                            "give", "skip",
                        ],
                    ) || self.is_imperative(at + 2))
            })
        };
        let impaired = s.is(start, &["i'm", "i"])
            && (start + 1..start + 3).any(|at| {
                s.is(
                    at,
                    &[
                        "colourblind",
                        "colorblind",
                        "colour-blind",
                        "color-blind",
                        "dyslexic",
                        "deaf",
                        "blind",
                        "left-handed",
                        "deuteranope",
                    ],
                )
            });
        let holds = is_own || (is_stated && (announced.is_some() || has_consequence())) || impaired;
        (holds && !self.is_passing_from(start))
            .then_some(Wish { mode: Mode::Remember, tokens: start..s.len() })
    }

    /// Returns the token after "fyi", "for your notes", "just so you know".
    fn past_announcement(&self, at: usize) -> Option<usize> {
        let s = self.sentence;
        if s.is(at, &["fyi", "psa"]) {
            return Some(at + 1);
        }
        if s.is(at, &["for"])
            && s.is(at + 1, &["your", "the"])
            && s.is(
                at + 2,
                &["notes", "information", "info", "memory", "record", "records", "files", "reference"],
            )
        {
            return Some(at + 3);
        }
        if s.is(at, &["for"]) && s.is(at + 1, &["context", "background"]) {
            return Some(at + 2);
        }
        if s.is(at, &["so"]) && s.reads(at + 1, &["you", "know"]) {
            return Some(at + 3);
        }
        // "Just so" are fillers.
        if s.reads(at, &["you", "know"]) && at > 0 && s.is(at - 1, &["so"]) {
            return Some(at + 2);
        }
        s.reads(at, &["you", "should", "know", "that"]).then_some(at + 4)
    }

    /// Whether the words state a fact that lasts.
    pub(super) fn is_lasting_fact(&self, at: usize, is_noted: bool) -> bool {
        let s = self.sentence;
        match s.word(at) {
            "i" | "we" => {
                let verb = at
                    + 1
                    + usize::from(s.is(at + 1, &["only", "always", "usually", "mostly", "don't", "can't"]));
                (self.is_verb(verb) || s.is(verb, &["am", "are"]))
                    && !s.is(verb, HAPPENING)
                    && !s.is(verb, PAST)
                    && !s.is(
                        verb,
                        &[
                            "have", "just", "already", "will", "can", "could", "would", "should", "think",
                            "changed",
                        ],
                    )
                    && !goes_on(s, verb + 1)
            }
            "i'm" | "we're" => !goes_on(s, at + 1) || s.is(at + 1, &["using", "running", "working"]),
            "my" | "our" | "the" | "half" | "most" | "all" => {
                let verb = self.find_near(
                    at + 1,
                    6,
                    &[
                        "is", "are", "lives", "live", "runs", "sits", "uses", "use", "belongs", "speaks",
                        "speak", "reads", "expect", "depend",
                    ],
                );
                let is_own = s.is(at, &["my", "our", "half", "most", "all"]) || is_noted;
                verb.is_some_and(|verb| {
                    let is_called = s.is(verb + 1, &["called", "named"]);
                    let is_state = goes_on(s, verb + 1)
                        || s.is(
                            verb + 1,
                            &[
                                "broken", "down", "failing", "red", "slow", "back", "gone", "done", "ready",
                                "not",
                            ],
                        );
                    is_called || (is_own && !is_state)
                })
            }
            _ => false,
        }
    }
}
