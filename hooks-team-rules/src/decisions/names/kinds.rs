//! Words that name a kind of thing, and no thing: "HTTP clients such as ky".

use super::super::tables;
use super::super::words::Word;
use super::{Name, names};

/// Words before the members of a kind.
const MEMBERS: &[&[&str]] = &[&["such", "as"], &["like"], &["including"], &["namely"], &["for", "example"]];
/// Words that separate the items of a list.
const SEPARATORS: &[&str] = &[",", "and", "or", "nor"];
/// Words for how many things there are.
const NUMBERS: &[&str] = &["two", "three", "four", "five", "six", "both", "several", "many", "few"];

/// Returns the words without a kind of which the members follow: "HTTP clients such as x and y" names x and y.
pub(super) fn members(words: &[Word]) -> Option<Vec<Word>> {
    let (at, length) = (1..words.len()).find_map(|at| {
        let tail = words.get(at..)?;
        let fits = |mark: &&&[&str]| mark.iter().zip(tail).all(|(wanted, word)| word.is(wanted));
        MEMBERS.iter().find(|mark| mark.len() < tail.len() && fits(mark)).map(|mark| (at, mark.len()))
    })?;
    let (before, behind) = (words.get(..at)?, words.get(at + length..)?);
    let is_plural = |word: &Word| {
        let is_word = word.text.chars().all(|c| c.is_ascii_alphabetic());
        !word.is_code && is_word && (word.is_in(tables::FILLER) || word.lower.ends_with('s'))
    };
    let first = names(behind.get(..1)?);
    if !before.last().is_some_and(is_plural) || !first.iter().any(|name| !name.is_guess()) {
        return None;
    }
    let start = before.iter().rposition(|word| word.is_in(SEPARATORS)).map_or(0, |at| at + 1);
    Some([before.get(..start)?, behind].concat())
}

/// Whether a known name in front of `behind` only names the kind of a thing: "YAML crates", "the two Redis libraries".
pub(super) fn is_kind(name: &str, before: &[Word], behind: &[Word]) -> bool {
    let is_data = tables::FORMAT.contains(name) || tables::PROTOCOL.contains(name);
    let next = behind.first();
    let is_counted = before.iter().any(|word| word.is_in(NUMBERS));
    next.is_some_and(|next| next.is_in(tables::KIND) && (is_data || is_counted))
}

/// Whether a word is the number of a version: no rule knows one version from another.
pub(super) fn is_version(word: &Word) -> bool {
    let number = word.text.strip_prefix('v').unwrap_or(&word.text);
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'x'))
}

/// Removes the guesses from names.
pub(in super::super) fn without_guesses(named: &mut Vec<Name>) {
    named.retain(|name| !name.is_guess());
}
