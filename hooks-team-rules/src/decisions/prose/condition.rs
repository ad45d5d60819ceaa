//! Conditions and double negations: sentences that forbid something so that what they name is used.
//!
//! The name behind a condition is not forbidden, nor is the object of a verb that would harm it:
//!
//! ```
//! use hooks_team_rules::decisions::{Decisions, Enforcement};
//!
//! for text in ["Never deploy without `make test`.", "Never skip `pytest`.", "We cannot do without Redis."] {
//!     assert!(Decisions::parse(&format!("- {text}\n")).all().iter().all(|it| it.rules.is_empty()), "{text}");
//! }
//! let decisions = Decisions::parse("- Never merge if `cargo test` fails.\n");
//! assert_eq!(decisions.all()[0].enforcement, Enforcement::Unclear);
//! ```

use super::super::names::{Name, is_path, names};
use super::super::tables;
use super::super::words::Word;
use super::negation::{is_verb, stem};
use super::order::is_order;
use super::phrases::has_phrase;
use super::predicate::Predicate;
use super::{Context, Reading};

/// Words behind which a condition or an alternative follows.
const CONDITIONS: &[&str] =
    &["without", "unless", "before", "until", "till", "if", "but", "except", "besides", "lacking"];
/// Words before the means of an action.
const MEANS: &[&str] = &["with", "via", "by", "through", "using"];
/// Words that separate the parts of a sentence, each with a negation of its own.
const PARTS: &[&str] = &[",", ";", ":", "and", "or", "nor", "but", "because", "so"];

/// Returns the words before the first condition: "other package managers than X" names no X.
pub(super) fn unconditional(words: &[Word]) -> &[Word] {
    let is_start = |at: usize| {
        let next = words.get(at + 1);
        words.get(at).is_some_and(|word| word.is_in(CONDITIONS) && !next.is_some_and(|next| next.is("not")))
            || is_exclusive(words, at)
            || is_relative(words, at)
    };
    let end = (0..words.len()).find(|at| is_start(*at)).unwrap_or(words.len());
    words.get(..end).unwrap_or(words)
}

/// Whether the thing that is meant follows: "others than X", "everything except X".
fn is_exclusive(words: &[Word], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let next = words.get(at + 1);
    words.get(at).is_some_and(|word| {
        word.is_in(&["except", "besides"])
            || word.is("but")
                && before.is_some_and(|word| word.is_in(&["all", "anything", "everything", "none"]))
            || word.is("than") && !before.is_some_and(|word| word.is_in(&["older", "newer", "lower"]))
            || word.is("other") && next.is_some_and(|next| next.is("than"))
    })
}

/// Whether a description of the thing before it follows: "code that `x` rejects".
fn is_relative(words: &[Word], at: usize) -> bool {
    let noun = at.checked_sub(1).and_then(|at| words.get(at));
    let is_noun = noun.is_some_and(|word| {
        !word.is_code && !word.is_in(tables::BOUNDARY) && !word.is_in(&[",", "and", "or", "nor"])
    });
    is_noun && words.get(at).is_some_and(|word| word.is_in(&["that", "which", "who", "whose"]))
}

/// Returns the words of a subject before those that it does not mean: "all databases other than X".
pub(super) fn inclusive(words: &[Word]) -> &[Word] {
    let end = (1..words.len()).find(|at| is_exclusive(words, *at)).unwrap_or(words.len());
    words.get(..end).unwrap_or(words)
}

impl Reading {
    /// Returns the items of a list of bans without those that require what they name: "skipping X, merging without Y".
    pub(super) fn without_required(&mut self, list: &[Word], context: &mut Context) -> Vec<Word> {
        let mut kept: Vec<Word> = Vec::new();
        for item in list.split(|word| word.is(",")) {
            let is_harm = item.first().is_some_and(is_protective);
            if is_harm || unconditional(item).len() < item.len() && names(unconditional(item)).is_empty() {
                self.leave_unclear(context);
                continue;
            }
            kept.extend((!kept.is_empty()).then(|| Word::new(",", false)));
            kept.extend(item.iter().cloned());
        }
        kept
    }
}

/// Whether a condition takes the place of an object, or a name behind one the place of a name before it.
pub(super) fn is_conditional(object: &[Word], tail: &[Word]) -> bool {
    let is_condition = |word: &Word| word.is_in(CONDITIONS) || word.is("than");
    unconditional(object).len() < object.len() || object.is_empty() && tail.first().is_some_and(is_condition)
}

/// Whether something is forbidden only where another thing is missing, which no call shows: "X without Y".
pub(super) fn is_about_absence(stated: &[Word], tail: &[Word]) -> bool {
    let is_call = |word: &Word| word.text.contains('(') || word.is_code && word.text.contains(['{', '<']);
    let is_without = |word: &Word| word.is("without") || word.is("lacking");
    let own = || tail.iter().take_while(|word| !word.is_in(&[",", ";"]));
    // "No X without a ticket" is a ban of X for who has none.
    let mut missing = own().skip_while(|word| !is_without(word)).skip(1).peekable();
    let is_missing = missing.peek().is_some() && !missing.take(3).any(|word| word.is_in(tables::LEAVE));
    let is_manner = has_manner(tail);
    (stated.iter().any(is_without) || is_missing || is_manner) && !stated.iter().any(is_call)
}

/// Whether words restrict an action by a manner or a time, which no call shows: "twice", "as root", "on Fridays".
fn has_manner(words: &[Word]) -> bool {
    const PHRASES: &[&str] =
        &["as root", "more than once", "in parallel", "at once", "at the same time", "in one module"];
    words.iter().any(|word| {
        word.is("twice")
            || word.lower.strip_suffix('s').unwrap_or(&word.lower).ends_with("day")
                && word.text.starts_with(char::is_uppercase)
    }) || PHRASES.iter().any(|phrase| has_phrase(words, phrase))
}

/// Whether a predicate forbids to harm its object, or to do without it.
pub(super) fn protects(clause: &[Word], found: &Predicate) -> bool {
    let region = clause.get(found.start..found.end).unwrap_or_default();
    let behind = clause.get(found.end..).unwrap_or_default();
    if !found.is_object {
        let subject = clause.get(..found.start).unwrap_or_default();
        let first = subject.iter().find(|word| !word.is_in(tables::ADJECTIVE));
        let is_harm = first.is_some_and(|word| word.lower.ends_with("ing") && is_protective(word));
        // "X may not be skipped"
        let is_negated = region.iter().any(|word| word.is_in(tables::NEGATION));
        return is_harm || is_negated && region.last().is_some_and(is_protective);
    }
    let has_other = region.iter().any(|word| is_verb(word) && !is_protective(word) && !is_order(word));
    // "Forbidden to drop X", but not "we have banned X".
    let is_negated = region.iter().any(|word| word.is_in(tables::NEGATION))
        || region.first().is_some_and(|word| word.is_in(tables::BANNED));
    let harms = |word: &Word| is_protective(word) || is_negated && is_order(word);
    let begins_with_harm =
        behind.first().is_some_and(|word| word.lower.ends_with("ing") && is_protective(word));
    // "We don't want to lose X"
    let is_loss = matches!(behind, [to, verb, ..] if to.is("to") && is_protective(verb));
    is_loss
        || !has_other && region.iter().skip(1).any(harms)
        || begins_with_harm
        || is_unknown_action(region, behind)
        || is_double(clause, found)
}

/// Whether an unknown verb governs another one: "do not hesitate to use X".
fn is_unknown_action(region: &[Word], behind: &[Word]) -> bool {
    let is_known = region.iter().any(|word| is_verb(word) || word.is_in(tables::BANNED));
    let is_negated = region.iter().any(|word| word.is_in(tables::NEGATION));
    let is_permitted = region.iter().any(|word| word.is_in(tables::PERMIT) || word.is_in(tables::USED));
    let is_infinitive = matches!(behind, [to, verb, ..] if to.is("to") && is_verb(verb));
    is_negated && !is_known && !is_permitted && region.len() > 1 && is_infinitive
}

/// Whether a part of a sentence has an even number of negations: "there is no reason not to use X".
fn is_double(clause: &[Word], found: &Predicate) -> bool {
    let start = (0..found.start)
        .rev()
        .find(|at| clause.get(*at).is_some_and(|word| word.is_in(PARTS)))
        .map_or(0, |at| at + 1);
    let own = clause.get(start..).unwrap_or_default().iter();
    let mut count = 0;
    for word in own.take_while(|word| !word.is_code && !word.is_in(PARTS)) {
        let is_part = word.is_in(&["longer", "nor", "neither", "hardly", "one"]);
        count += usize::from(word.is_in(tables::NEGATION) && !is_part);
    }
    count == 2
}

/// Whether a word is a verb that harms its object, in any form: skip, skipped, skipping.
pub(super) fn is_protective(word: &Word) -> bool {
    let lower = word.lower.as_str();
    let is_stem = |stem: &str| {
        let short = stem.chars().next_back().and_then(|last| stem.strip_suffix(last)).unwrap_or_default();
        [stem.to_owned(), format!("{stem}e"), short.to_owned(), self::stem(stem)]
            .iter()
            .any(|form| tables::PROTECTIVE.contains(form))
    };
    !word.is_code
        && (word.is_in(tables::PROTECTIVE)
            || ["ing", "ed", "s"].iter().any(|end| lower.strip_suffix(end).is_some_and(is_stem)))
}

/// Keeps the names of a protective sentence that it forbids nonetheless: files, where the verb is one about files.
pub(super) fn keep_files(named: &mut Vec<Name>, verb: &str) {
    let is_about_files = tables::FILE_VERB.contains(verb);
    named.retain(|name| is_about_files && is_path(&Word::new(&name.text, name.is_code)));
}

/// Whether words begin with the means of an action: "with X".
pub(super) fn is_means(words: &[Word]) -> bool {
    words.first().is_some_and(|word| word.is_in(MEANS))
}

/// Returns the words for the means in a subject: "skipping hooks with `--no-verify`".
pub(super) fn means(subject: &[Word]) -> &[Word] {
    let at = subject.iter().position(|word| word.is_in(MEANS));
    at.and_then(|at| subject.get(at + 1..)).unwrap_or_default()
}

/// Whether words state that what they name is needed: "there is no way around X".
pub(super) fn is_needed(words: &[Word]) -> bool {
    tables::NEEDED_PHRASE.iter().any(|phrase| has_phrase(words, phrase)) || is_denied(words) || keeps(words)
}

/// Whether words deny that something is so: "it is not true that X is banned".
fn is_denied(words: &[Word]) -> bool {
    const CLAIMS: &[&str] = &[
        "true", "said", "says", "claimed", "claims", "decided", "agreed", "mean", "means", "case", "think",
        "believe", "implies", "imply",
    ];
    let is_that = |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        words.get(*at).is_some_and(|word| word.is("that")) && before.is_some_and(|word| word.is_in(CLAIMS))
    };
    let is_nearly = |pair: &[Word]| matches!(pair, [nearly, ban] if nearly.is_in(&["nearly", "almost"]) && ban.is_in(tables::BANNED));
    // "Not running X is forbidden"
    let is_left_out = matches!(words, [not, action, ..] if not.is("not") && action.lower.ends_with("ing"))
        && words.iter().any(|word| word.is_in(tables::BANNED));
    if is_left_out || words.windows(2).any(is_nearly) {
        return true;
    }
    let Some(that) = (0..words.len()).find(is_that) else { return false };
    words.iter().take(that).rev().take(5).any(|word| word.is_in(tables::NEGATION))
}

/// Whether words refuse to give something up: "we decided against dropping X".
fn keeps(words: &[Word]) -> bool {
    words.windows(2).any(|pair| match pair {
        [against, action] => {
            let is_harm = is_order(action) || is_protective(action);
            let is_change = action.is_in(&["changing", "touching", "switching", "migrating", "leaving"]);
            against.is("against") && action.lower.ends_with("ing") && (is_harm || is_change)
        }
        _ => false,
    })
}

/// Whether a means is only the thing that has a fault: "with `x` warnings", "with a failing `x`".
pub(super) fn is_faulty_means(tail: &[Word], name: &Name) -> bool {
    const FAULTS: &[&str] = &[
        "warnings",
        "warning",
        "errors",
        "error",
        "failures",
        "findings",
        "violations",
        "issues",
        "failing",
        "broken",
        "red",
        "open",
        "missing",
        "unresolved",
        "complaints",
        "failed",
    ];
    let Some(at) = tail.iter().position(|word| word.text == name.text) else { return false };
    let near = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
    near.filter_map(|at| tail.get(at)).any(|word| word.is_in(FAULTS))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Decisions, Enforcement};

    /// Sentences that forbid to go without something, or to harm it: no rule can hold them.
    const REQUIRED: &[&str] = &[
        "Never deploy without `make test`.",
        "It is not allowed to merge without running `cargo clippy`.",
        "Nobody may merge without `cargo test`.",
        "Don't forget to run `npm run lint`.",
        "Do not hesitate to use `console.table`.",
        "Never skip `pytest`.",
        "We use Redis. Never skip it.",
        "Skipping `pytest` is forbidden.",
        "`pytest` must not be skipped.",
        "Avoid skipping `pytest`.",
        "Stop disabling `eslint`.",
        "Never disable `eslint`.",
        "Never merge if `cargo test` fails.",
        "You must not ship unless `pytest` is green.",
        "Do not deploy before `make smoke` has passed.",
        "Never stop using `zod`.",
        "We do not ban `lodash`.",
        "Express must not be used without helmet.",
        "No package manager other than `pnpm` is allowed.",
        "No other runner than Jest.",
        "We don't use anything but Jest.",
        "Moment is deprecated upstream but we keep it.",
        "YAML crates are banned.",
    ];

    #[test]
    fn what_a_sentence_requires_is_not_forbidden_but_unclear() {
        for text in REQUIRED {
            let decisions = Decisions::parse(&format!("- {text}\n"));
            let found: Vec<_> = decisions.all().iter().map(|it| (&it.rules, &it.enforcement)).collect();
            assert!(found.iter().all(|(rules, _)| rules.is_empty()), "{text}: {found:?}");
            assert!(found.iter().any(|(_, own)| **own == Enforcement::Unclear), "{text}: {found:?}");
        }
    }
}
