//! Whether words are an instruction, in which mode, and whether it lasts longer than one task.

use std::ops::Range;

use super::WishParser;
use super::before::Clause;
use crate::directive::Mode;
use crate::directive::markers::goes_on;
use crate::directive::sentence::Sentence;
use crate::directive::words::{
    CONTRACTIONS, HAPPENING, OBLIGING, OF_WORK, PLACES_OF_WORK, SCOPING, TOLD, VERBS,
};

/// Words for times that end soon.
const SOON: &[&str] = table!("words_soon");

/// Words that point at one thing.
const POINTING: &[&str] = table!("words_pointing");

/// Words for the rest of a task, which are not kinds of things.
const OTHER: &[&str] = table!("words_other");

impl WishParser<'_> {
    /// Returns the first token from `at` on that is neither a punctuation mark nor a filler.
    pub(super) fn content(&self, at: usize) -> usize {
        content(self.sentence, at)
    }

    /// Whether the words at `at` instruct: "keep …", "don't …", "you should …", "every test must …".
    pub(super) fn instructs(&self, at: usize) -> bool {
        let s = self.sentence;
        let word = s.word(at);
        let stands_alone =
            !s.is(at + 1, OBLIGING) && !s.is(at + 1, &["is", "was", "were", "has", "will", "can"]);
        match word {
            "" => false,
            "don't" | "dont" | "never" | "always" | "let's" | "lets" | "avoid" | "nobody" => true,
            "do" => s.is(at + 1, &["not"]) || stands_alone,
            "no" => !s.word(at + 1).is_empty(),
            "not" | "can't" => false,
            "you" | "everyone" | "everybody" => {
                s.is(at + 1, OBLIGING) || s.is(at + 1, &["can", "may", "never", "always", "only"])
            }
            "we" => {
                s.is(at + 1, &["don't", "do", "only", "always", "never"])
                    || ((self.is_verb(at + 1) || s.is(at + 1, OBLIGING)) && !s.is(at + 1, HAPPENING))
            }
            "i" => s.is(at + 1, &["want", "expect", "need", "would", "prefer"]),
            "i'd" => s.is(at + 1, &["like", "prefer", "rather", "want", "love"]),
            word if CONTRACTIONS.contains(&word) => false,
            word if VERBS.contains(&word) => stands_alone,
            word if self.is_verb(at) && word.len() > 2 => {
                stands_alone
                    && !s.is(at, TOLD)
                    && s.is(
                        at + 1,
                        &[
                            "the", "a", "an", "all", "any", "your", "our", "it", "them", "to", "with", "in",
                            "for", "on", "only", "every", "each", "me", "at", "my", "new",
                        ],
                    )
            }
            _ => self.is_work_obliged(at),
        }
    }

    /// "every migration gets", "all commits must", "changes need".
    fn is_work_obliged(&self, at: usize) -> bool {
        let s = self.sentence;
        let ends = (at..s.len().min(at + 7)).find(|at| {
            s.is(*at, OBLIGING) || s.is(*at, &["needs", "has", "gets", "get", "go", "goes", "stay", "stays"])
        });
        let general = s.is(at, &["every", "each", "all", "any", "no"]) || s.is(at, OF_WORK);
        ends.is_some_and(|ends| ends > at && general)
    }

    /// Returns the mode of an instruction at `at` whose own words do not make it a wish.
    pub(super) fn mode_at(&self, at: usize) -> Mode {
        mode_at(self.sentence, at)
    }

    /// Whether the clause is the subject of the sentence and not a part of a task: before it is only an
    /// address, a scope, or another sentence.
    pub(super) fn opens(&self, clause: Clause) -> bool {
        let s = self.sentence;
        let hard = (0..clause.boundary)
            .rev()
            .find(|at| matches!(s.mark(*at), Some(';' | ':' | '—' | '–')))
            .map_or(0, |at| at + 1);
        let first = self.content(hard);
        first >= clause.boundary
            || (s.is(first, SCOPING) && !self.is_soon_over(first..clause.boundary))
            || (first + 1 == clause.boundary.saturating_sub(1) && !s.is(first, VERBS) && !s.is(first, SOON))
            || s.word(first).starts_with('@')
    }

    /// Whether `words` are about a task that ends soon.
    pub(super) fn is_soon_over(&self, words: Range<usize>) -> bool {
        let s = self.sentence;
        words.into_iter().any(|at| {
            (s.is(at, SOON) && !s.is(at.wrapping_sub(1), &["from", "not", "neither", "nor"]))
                || s.word(at).starts_with('#')
                || s.reads(at, &["the", "moment"])
                || (s.is(at, &["this"]) && !s.is(at + 1, PLACES_OF_WORK))
                || (s.is(at, &["that"])
                    && !s.is(at + 1, &["everywhere", "always"])
                    && s.is(at.wrapping_sub(1), &["in", "on", "for", "with", "of", "during", "about", "do"]))
                || (s.is(at, &["before", "after"]) && s.is(at + 1, &["i", "we", "lunch"]))
        })
    }

    /// Whether the object at `at` is a kind of thing, so that a ban on it can be permanent.
    pub(super) fn is_general(&self, at: usize, ends: usize) -> bool {
        let s = self.sentence;
        // "Don't edit the lock file by hand" bans a manner, at any time.
        let says_how = (at..ends).any(|at| {
            s.is(at, &["without", "unless", "directly", "manually", "blindly", "except", "instead", "ever"])
                || s.reads(at, &["by", "hand"])
        });
        if says_how {
            return true;
        }
        let mut at = at;
        if goes_on(s, at) && !s.is(at + 1, POINTING) {
            at += 1;
        }
        if s.is(at, &["any", "a", "an"]) && !s.is(at + 1, OTHER) {
            return true;
        }
        !s.is(at, POINTING) && !s.is(at, OTHER) && !s.word(at).is_empty()
    }

    /// Whether the object at `at` is a plural without an article.
    pub(super) fn is_plural(&self, at: usize, ends: usize) -> bool {
        let s = self.sentence;
        let noun = (at..ends.min(at + 4)).take_while(|at| {
            !s.word(*at).is_empty()
                && !s.is(*at, SCOPING)
                && !s.is(*at, POINTING)
                && !s.is(*at, &["to", "of"])
        });
        noun.into_iter().any(|at| {
            let word = s.word(at);
            word.len() > 2 && word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us")
        })
    }

    /// Returns the end of the clause of `at`.
    pub(super) fn clause_end(&self, at: usize) -> usize {
        let s = self.sentence;
        (at..s.len()).find(|at| matches!(s.mark(*at), Some(';' | '—' | '–' | '('))).unwrap_or(s.len())
    }
}

/// Returns the first token from `at` on that is neither a punctuation mark nor a filler.
fn content(sentence: &Sentence<'_>, mut at: usize) -> usize {
    while matches!(sentence.mark(at), Some(',' | ':' | '-' | '—' | '–'))
        || (sentence.is_filler(at) && !sentence.is(at, &["no"]))
    {
        at += 1;
    }
    at
}

/// Returns the mode of an instruction at `at` whose own words do not make it a wish.
pub(super) fn mode_at(sentence: &Sentence<'_>, at: usize) -> Mode {
    let mut at = content(sentence, at);
    if sentence.is(at, TOLD) || sentence.is(at, &["i", "i'd", "we'd"]) {
        at += 1;
    }
    if sentence.is(at, OBLIGING) || sentence.is(at, &["may", "can"]) {
        at += 1;
    }
    match sentence.word(at) {
        "no" | "never" | "nobody" | "nothing" | "none" | "don't" | "dont" | "not" | "avoid" | "cannot"
        | "can't" => Mode::Never,
        "do" if sentence.is(at + 1, &["not"]) => Mode::Never,
        "prefer" | "favour" | "favor" | "rather" => Mode::Prefer,
        "stop" | "quit" => Mode::Stop,
        "remember" => Mode::Remember,
        "from" if sentence.is(at + 1, &["now"]) => Mode::FromNowOn,
        _ => Mode::Always,
    }
}
