//! Phrases in words and texts.

use super::super::names::names;
use super::super::tables;
use super::super::words::{Sentence, Word};

/// Returns the end of the object that `words` begin with.
pub(super) fn object_end(words: &[Word]) -> usize {
    if words.first().is_some_and(|word| word.is("unless")) {
        return words.len();
    }
    // "Except under `a/`, under `b/`": the comma ends no object.
    let goes_on = |at: usize| {
        let is_place = words.get(at + 1).is_some_and(|next| next.is_in(tables::PLACE_WORD));
        is_place && words.iter().take(at).any(|word| word.is_in(tables::OUTSIDE))
    };
    let is_end = |(at, word): &(usize, &Word)| {
        if word.is("but")
            && words.get(at.wrapping_sub(1)).is_some_and(|word| word.is_in(&["everywhere", "anywhere"]))
        {
            return false;
        }
        let next_is_name = words.get(at + 1).is_some_and(|next| {
            next.is_code
                || !names(std::slice::from_ref(next)).is_empty()
                || next.is_in(&["no", "not", "nor", "or", "and"])
        });
        (word.is(",")
            && !goes_on(*at)
            && (!next_is_name || begins_sentence(words.get(at + 1..).unwrap_or_default())))
            || (word.is_in(tables::BOUNDARY)
                && !word.is("to")
                && !word.is("than")
                && !word.is("of")
                && !word.is("from")
                && !word.is("on")
                && *at > 0)
            || ((word.is_in(tables::BE) || word.is_in(tables::AUXILIARY)) && *at > 0 && !word.is("to"))
            || word.is(":")
    };
    words.iter().enumerate().find(is_end).map_or(words.len(), |(at, _)| at)
}

/// Whether a sentence of its own follows behind a comma: "never use X, Y is enough".
fn begins_sentence(words: &[Word]) -> bool {
    let mut own = words.iter().take_while(|word| !word.is(",") && !word.is_in(&["and", "or", "nor"]));
    words.first().is_some_and(|word| !word.is_in(tables::NEGATION) && !word.is("or"))
        && own.any(|word| word.is("is"))
}

/// Returns the words of a sentence with those in parentheses.
pub(super) fn plainly(sentence: &Sentence) -> Vec<Word> {
    sentence.words.iter().chain(sentence.asides.iter().flatten()).cloned().collect()
}

/// Returns the words as text: the replacement, as it is shown.
pub(super) fn plain(words: &[Word]) -> Option<String> {
    let named = names(words);
    // "`x` v3": what to use may have a version.
    let code = || words.iter().find(|word| word.is_code).map(|word| word.text.clone());
    let text = match named.first().map(|name| name.text.clone()).or_else(code) {
        Some(name) => name,
        None => words
            .iter()
            .filter(|word| !word.is_in(tables::ADJECTIVE))
            .map(|word| word.text.as_str())
            .take(4)
            .collect::<Vec<_>>()
            .join(" "),
    };
    (!text.trim().is_empty()).then_some(text)
}

/// Whether words are about files in general.
pub(super) fn names_files(words: &[Word]) -> bool {
    words.iter().any(|word| {
        word.is_in(&[
            "file",
            "files",
            "anything",
            "something",
            "things",
            "migrations",
            "folder",
            "directory",
            "directories",
            "code",
            "sources",
            "snapshots",
            "tree",
            "everything",
            "nothing",
            "changes",
            "edits",
            "secret",
            "secrets",
            "credentials",
            "passwords",
            "keys",
        ])
    })
}

pub(super) fn starts_with_phrase(words: &[Word], phrase: &str) -> bool {
    phrase.split(' ').enumerate().all(|(at, wanted)| words.get(at).is_some_and(|word| word.is(wanted)))
}

/// Whether the words of a phrase stand in `words`, one after another.
pub(super) fn has_phrase(words: &[Word], phrase: &str) -> bool {
    (0..words.len()).any(|at| words.get(at..).is_some_and(|tail| starts_with_phrase(tail, phrase)))
}

pub(super) fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + phrase.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(char::is_alphanumeric) && !behind.is_some_and(char::is_alphanumeric)
    })
}
