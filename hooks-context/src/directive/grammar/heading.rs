//! Headings that turn each line of the list below them into a wish.

use super::instruction::mode_at;
use crate::directive::Mode;
use crate::directive::markers::{self, Sign};
use crate::directive::sentence::Sentence;
use crate::directive::words::{OWN, PLACES_OF_WORK, RULE_NOUNS};

/// Meaning of a heading for the lines below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::directive) enum Heading {
    /// "From now on:", "Never do the following:".
    Of(Mode),
    /// "House rules:": each line has its own mode.
    Rules,
}

impl Heading {
    /// Returns the mode of `line`, which is below the heading.
    pub(in crate::directive) fn mode(self, line: &Sentence<'_>) -> Mode {
        match self {
            Self::Of(mode) => mode,
            Self::Rules => mode_at(line, 0),
        }
    }
}

/// Words of a heading that have no meaning of their own.
const EMPTY: &[&str] = table!("words_of_headings");

/// Returns the meaning of `sentence` for the lines below it, if it is a heading.
pub(in crate::directive) fn heading(sentence: &Sentence<'_>) -> Option<Heading> {
    let last = sentence.len().checked_sub(1)?;
    if sentence.mark(last) != Some(':') {
        return None;
    }
    if is_general(sentence, last) {
        return Some(Heading::Rules);
    }
    let markers = markers::all(sentence);
    let marker = markers.iter().find(|marker| marker.sign != Sign::Rule).or(markers.first())?;
    let is_owned = (0..last).any(|at| sentence.is(at, OWN) || sentence.is(at, PLACES_OF_WORK));
    let heading = match marker.sign {
        Sign::Always => Heading::Of(Mode::Always),
        Sign::Never | Sign::NoWay | Sign::Avoid => Heading::Of(Mode::Never),
        Sign::FromNowOn | Sign::Later => Heading::Of(Mode::FromNowOn),
        Sign::Prefer => Heading::Of(Mode::Prefer),
        Sign::Stop | Sign::NoMore => Heading::Of(Mode::Stop),
        Sign::Remember => Heading::Of(Mode::Remember),
        Sign::Standing => Heading::Rules,
        Sign::Rule | Sign::Place if is_owned && names_rules(sentence, last) => Heading::Rules,
        _ => return None,
    };
    let is_bare = (0..last).filter(|at| !(marker.at..marker.end()).contains(at)).all(|at| {
        let is_word_of_rules =
            [OWN, RULE_NOUNS, PLACES_OF_WORK, EMPTY].iter().any(|words| sentence.is(at, words))
                || sentence.is_filler(at);
        sentence.word(at).is_empty() || is_word_of_rules || sentence.is(at, &["for", "in"])
    });
    is_bare.then_some(heading)
}

fn names_rules(sentence: &Sentence<'_>, end: usize) -> bool {
    (0..end).any(|at| sentence.is(at, RULE_NOUNS))
}

/// "Some general remarks:", "Notes, and not only for this patch:".
fn is_general(sentence: &Sentence<'_>, end: usize) -> bool {
    let is_lasting = (0..end).any(|at| {
        sentence.is(at, &["not"])
            && sentence.is(at + 1, &["only", "just"])
            && sentence.reads(at + 2, &["for", "this"])
    });
    // "How we work, in a nutshell:".
    if sentence.reads(0, &["how", "we"]) || sentence.reads(0, &["the", "way", "we"]) {
        return sentence.is(end.min(3), &["work", "build", "code", "write"])
            || sentence.is(2, &["work", "build", "code", "do"]);
    }
    let is_general = (0..end).any(|at| sentence.is(at, &["general"]));
    let is_advice = (0..end).any(|at| {
        sentence.is(at, RULE_NOUNS)
            || sentence
                .is(at, &["notes", "remarks", "comments", "points", "things", "feedback", "advice", "tips"])
    });
    is_advice && (is_lasting || is_general)
}
