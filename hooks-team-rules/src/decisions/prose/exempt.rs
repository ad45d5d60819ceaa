//! Exemptions of a place from the other entries of a list.
//!
//! An exemption that names nothing but its place is one from everything in the list:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- axios is banned.\n- `archive/` is exempt.\n");
//! assert_eq!(decisions.all()[0].rules[0].except, ["archive/**"]);
//!
//! let decisions = Decisions::parse("- axios is banned.\n- `archive/` is exempt from the coverage target.\n");
//! assert!(decisions.all()[0].rules[0].except.is_empty());
//! ```

use super::super::names::{Name, names};
use super::super::scope;
use super::super::tables;
use super::super::words::Word;
use super::phrases::starts_with_phrase;

/// Purpose of an exemption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Exemption {
    /// From everything in the list.
    All,
    /// From the rules about these names.
    From(Vec<Name>),
}

/// Returns the exemption that a clause with a place grants to it; `None` if the clause is about another thing in that place.
pub(super) fn exemption(clause: &[Word]) -> Option<Exemption> {
    let (start, length) = last_phrase(clause)?;
    let (before, behind) = (clause.get(..start)?, clause.get(start + length..)?);
    if !without_places(before).iter().all(is_about_files) {
        return None;
    }
    let behind = without_places(behind);
    if behind.iter().all(|word| is_about_files(word) || is_about_list(word)) {
        return Some(Exemption::All);
    }
    let is_from = behind.first().is_some_and(|word| word.is_in(&["from", "by", "to", "for"]));
    let things: Vec<Word> = behind.into_iter().filter(|word| !is_about_list(word)).collect();
    Some(names(&things)).filter(|names| is_from && !names.is_empty()).map(Exemption::From)
}

/// Returns the start and the length of the last words that permit together. Those with "still" describe, and permit nothing
/// else.
fn last_phrase(clause: &[Word]) -> Option<(usize, usize)> {
    (0..clause.len()).rev().find_map(|at| {
        let tail = clause.get(at..)?;
        let fits = |phrase: &&&str| !phrase.starts_with("still ") && starts_with_phrase(tail, phrase);
        let lengths = tables::PERMIT_PHRASE.iter().filter(fits).map(|phrase| phrase.split(' ').count());
        lengths.max().map(|length| (at, length))
    })
}

/// Returns the words that are no place.
fn without_places(words: &[Word]) -> Vec<Word> {
    let mut rest = Vec::new();
    let mut at = 0;
    while let Some(tail) = words.get(at..).filter(|tail| !tail.is_empty()) {
        match scope::place(tail, at > 0) {
            Some((_, length)) => at += length,
            None => {
                rest.extend(tail.first().cloned());
                at += 1;
            }
        }
    }
    rest
}

/// Whether a word only refers to the files of a place: "old code in `archive/` stays as it is, and is exempt".
fn is_about_files(word: &Word) -> bool {
    const MORE: &[&str] =
        &["code", "files", "folder", "stay", "stays", "remain", "remains", "as", "and", "or", ",", ":", "so"];
    word.is_in(MORE)
        || word.is_in(tables::ABOUT_FILES)
        || word.is_in(tables::ADJECTIVE)
        || word.is_in(tables::PRONOUN)
        || word.is_in(tables::FILLER)
        || word.is_in(tables::PLACE_WORD)
        || word.is_in(tables::BE)
}

/// Whether a word refers to the entries of the list: "from all these rules".
fn is_about_list(word: &Word) -> bool {
    word.is_in(&[
        "from",
        "by",
        "to",
        "for",
        "of",
        "all",
        "these",
        "those",
        "this",
        "that",
        "rule",
        "rules",
        "list",
        "ban",
        "bans",
        "above",
        "here",
        "everything",
    ])
}
