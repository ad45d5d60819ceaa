//! Clauses that permit something, or that name its only places.

use super::super::names::{is_path, names};
use super::super::scope;
use super::super::tables;
use super::super::words::Word;
use super::phrases::starts_with_phrase;

/// Returns the only places of the subject, and the subject: "X is restricted to `crates/cli`".
pub(super) fn only_in(clause: &[Word]) -> Option<(Vec<String>, Vec<Word>)> {
    let at = (0..clause.len()).find(|at| {
        let tail = clause.get(*at..).unwrap_or_default();
        tables::ONLY_PHRASE.iter().any(|phrase| starts_with_phrase(tail, phrase))
    })?;
    let globs = scope::all(clause);
    let (before, behind) = clause.split_at_checked(at)?;
    let subject: Vec<Word> = before
        .iter()
        .take_while(|word| !word.is_in(tables::BE) && !word.is_in(tables::AUXILIARY) && !word.is("belongs"))
        .cloned()
        .collect();
    let has_place = !scope::all(behind).is_empty()
        || (clause.get(at).is_some_and(|word| word.is("nowhere")) && !globs.is_empty());
    let subject_names = names(&subject);
    let is_place = subject.iter().any(is_path);
    // The places may follow in parentheses: the caller adds them.
    let is_restricted = starts_with_phrase(behind, "restricted to")
        || starts_with_phrase(behind, "limited to")
        || starts_with_phrase(behind, "reserved for");
    ((has_place || is_restricted) && !globs.is_empty() && !subject_names.is_empty() && !is_place)
        .then_some((globs, subject))
}

pub(super) fn is_permit(words: &[Word]) -> bool {
    let is_negated = |at: usize| words.iter().take(at).rev().take(3).any(|word| word.is_in(tables::NEGATION));
    words.iter().enumerate().any(|(at, word)| {
        !(word.text == "May" && at > 0)
            && (word.is_in(tables::PERMIT) || word.is("exception") || word.is("exceptions"))
            && !is_negated(at)
            && !words.get(at + 1).is_some_and(|next| next.is_in(tables::NEGATION))
    })
}
