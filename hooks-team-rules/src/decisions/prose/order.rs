//! Orders: "avoid X", "drop X", "we ban X", "stop using X".

use super::super::names::names;
use super::super::scope;
use super::super::tables;
use super::super::words::Word;
use super::negation::negated;
use super::phrases::starts_with_phrase;
use super::predicate::{Predicate, banned};

/// An order: "avoid X", "drop X", "we ban X", "stop using X".
pub(super) fn ordered(clause: &[Word], at: usize) -> Option<Predicate> {
    let word = clause.get(at)?;
    let before = clause.get(..at)?;
    let is_start = before.iter().all(|word| {
        word.is_in(tables::ACTOR)
            || word.is_in(tables::AUXILIARY)
            || word.is_in(tables::ADJECTIVE)
            || word.is_in(tables::ORDER_START)
            || word.is(",")
    });
    // "Dropping X is forbidden" is about the dropping.
    let is_subject = word.lower.ends_with("ing")
        && before.is_empty()
        && (at + 1..clause.len()).any(|at| banned(clause, at).or_else(|| negated(clause, at)).is_some());
    if is_subject {
        return None;
    }
    let tail = clause.get(at..)?;
    let phrase = tables::ORDER_PHRASE
        .iter()
        .filter(|phrase| starts_with_phrase(tail, phrase))
        .map(|phrase| phrase.split(' ').count())
        .max();
    // "Deprecated crypto" is a title, and no sentence.
    let is_past = word.lower.ends_with("ed") && before.is_empty();
    let length = phrase.unwrap_or(usize::from(is_order(word) && !is_past));
    // "We decided against replacing X" keeps X.
    let keeps = phrase.is_some()
        && clause.get(at + length).is_some_and(|next| {
            next.lower.ends_with("ing") && is_order(next)
                || next.is_in(&[
                    "replacing",
                    "changing",
                    "banning",
                    "touching",
                    "switching",
                    "migrating",
                    "leaving",
                ])
        });
    if !is_start
        || keeps
        || length == 0
        || at + length >= clause.len()
        || before.iter().any(|word| word.is_in(tables::NEGATION))
    {
        return None;
    }
    if names(clause.get(at + length..)?).is_empty()
        && !clause.get(at + length..)?.iter().any(|word| word.is_in(tables::PRONOUN))
        && scope::all(clause.get(at + length..)?).is_empty()
    {
        return None;
    }
    let mut end = at + length;
    while clause.get(end).is_some_and(|word| {
        !word.is_code
            && (word.is_in(&[
                "using",
                "adding",
                "importing",
                "calling",
                "the",
                "use",
                "of",
                "all",
                "any",
                "writing",
                "to",
                "running",
                "introducing",
                "on",
            ]))
    }) {
        end += 1;
    }
    // "Hands off `x/`" is about what is there.
    let is_kept = phrase.is_some() && word.is_in(&["hands", "keep", "stay"]);
    let verb = if is_kept { "touch" } else { "use" };
    Some(Predicate { start: at, end, verb: verb.to_owned(), is_object: true, is_permit: false })
}

/// An order to leave something as it is: "leave `x` alone".
pub(super) fn left_alone(clause: &[Word], at: usize) -> Option<Predicate> {
    let is_start = |word: &Word| {
        word.is_in(tables::ORDER_START) || word.is_in(tables::ACTOR) || word.is_in(tables::AUXILIARY)
    };
    let is_leave = clause.get(at)?.is("leave") && clause.get(..at)?.iter().all(is_start);
    let mut behind = clause.get(at + 1..)?.iter();
    let is_alone = behind.any(|word| word.is_in(&["alone", "untouched", "unchanged"]));
    let verb = || "touch".to_owned();
    (is_leave && is_alone).then(|| Predicate {
        start: at,
        end: at + 1,
        verb: verb(),
        is_object: true,
        is_permit: false,
    })
}

/// Whether a word is a verb that forbids its object, in any form: drop, dropped, dropping.
pub(super) fn is_order(word: &Word) -> bool {
    let lower = word.lower.as_str();
    let is_form = |ending: &str| {
        let Some(stem) = lower.strip_suffix(ending) else { return false };
        let is_long = ["ed", "ing"].contains(&ending);
        let doubled = || {
            let last = stem.chars().next_back()?;
            stem.strip_suffix(last).filter(|short| short.ends_with(last))
        };
        tables::ORDER.contains(stem)
            || ending == "ing" && tables::ORDER.contains(&format!("{stem}e"))
            || is_long && doubled().is_some_and(|short| tables::ORDER.contains(short))
    };
    !word.is_code && ["", "ed", "d", "ing", "s"].iter().any(|ending| is_form(ending))
}
