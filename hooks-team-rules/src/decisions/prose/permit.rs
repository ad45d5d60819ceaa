//! Clauses that permit something, or that name its only places.
//!
//! An exception is part of the rule:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Never use moment, except in `src/legacy/`.\n");
//! assert_eq!(decisions.all()[0].rules[0].packages[0], "moment");
//! ```

use super::super::names::{Name, is_path, names};
use super::super::scope;
use super::super::tables;
use super::super::words::Word;
use super::phrases::{has_phrase, starts_with_phrase};

/// Returns the only places of the subject, and the subject: "X is restricted to `crates/cli`".
pub(super) fn only_in(clause: &[Word]) -> Option<(Vec<String>, Vec<Word>)> {
    if let Some(found) = only_place(clause).or_else(|| only_there(clause)) {
        return Some(found);
    }
    let at = (0..clause.len()).find(|at| {
        let tail = clause.get(*at..).unwrap_or_default();
        tables::ONLY_PHRASE.iter().any(|phrase| starts_with_phrase(tail, phrase))
    })?;
    let (before, behind) = clause.split_at_checked(at)?;
    // "X may not be used in `a/`, only in `b/`"
    let own = scope::all(behind);
    let globs = if own.is_empty() { scope::all(clause) } else { own };
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

/// Reads the forms with the word at an end: "only `src/db/` may import X", "X is read in `src/config.ts` only".
fn only_there(clause: &[Word]) -> Option<(Vec<String>, Vec<Word>)> {
    let (first, last) = (clause.first()?, clause.last()?);
    if first.is("only") {
        let aux =
            clause.iter().position(|word| word.is_in(&["may", "can", "is", "are", "should", "gets"]))?;
        let globs = scope::all(clause.get(1..aux)?);
        let subject = clause.get(aux + 1..)?.to_vec();
        return (!globs.is_empty() && !names(&subject).is_empty()).then_some((globs, subject));
    }
    let only = clause.iter().position(|word| word.is("only")).filter(|at| *at > 0);
    if let Some(only) = only
        && clause
            .get(only + 1)
            .is_some_and(|word| word.is_in(tables::USED) || word.is_in(&["read", "set", "touched"]))
        && clause.get(only + 2).is_some_and(|word| word.is_in(tables::PLACE_WORD) || word.is("from"))
    {
        let globs = scope::all(clause.get(only + 2..)?);
        let subject: Vec<Word> = clause
            .iter()
            .take(only)
            .take_while(|word| !word.is_in(tables::BE) && !word.is_in(tables::AUXILIARY))
            .cloned()
            .collect();
        let is_place = subject.iter().any(is_path);
        return (!is_place && !globs.is_empty() && !names(&subject).is_empty()).then_some((globs, subject));
    }
    if last.is("only") {
        let be = clause.iter().position(|word| {
            word.is_in(tables::BE)
                || word.is_in(tables::AUXILIARY)
                || word.is_in(&[
                    "survives", "survive", "stays", "stay", "remains", "remain", "lives", "live", "belongs",
                ])
        })?;
        let globs = scope::all(clause.get(be..)?);
        let subject = clause.get(..be)?.to_vec();
        let has_negation = clause.iter().any(|word| word.is_in(tables::NEGATION));
        return (!has_negation && !globs.is_empty() && !names(&subject).is_empty())
            .then_some((globs, subject));
    }
    None
}

/// Reads a clause about the only place of something: "`src/db` is the only place that may import X".
fn only_place(clause: &[Word]) -> Option<(Vec<String>, Vec<Word>)> {
    let nouns = [
        "place",
        "folder",
        "directory",
        "module",
        "package",
        "file",
        "crate",
        "layer",
        "service",
        "component",
        "part",
    ];
    let at = clause.windows(2).position(|pair| match pair {
        [only, noun] => only.is("only") && noun.is_in(&nouns),
        _ => false,
    })?;
    let (before, behind) = (clause.get(..at)?, clause.get(at + 2..)?);
    let globs = scope::all(before);
    let is_clear = !clause.iter().any(|word| word.is_in(tables::NEGATION));
    (is_clear && !globs.is_empty() && !names(behind).is_empty()).then(|| (globs, behind.to_vec()))
}

/// Returns a verb and the files that only some may do it to: "only Ada edits `docs/`", "`ci/` may only be changed by Ops".
pub(super) fn only_by(clause: &[Word]) -> Option<(String, Vec<String>)> {
    let only = clause.iter().position(|word| word.is("only"))?;
    let behind = clause.get(only + 1..)?;
    // "`ci/` is changed by Ops only", "`ci/` is only changed by Ops"
    let be = clause.iter().position(|word| word.is_in(tables::BE));
    if let Some(be) = be
        && let [verb, by, ..] = clause.get(be + 1 + usize::from(only == be + 1)..)?
        && verb.is_in(tables::FILE_VERB)
        && by.is("by")
        && (only == be + 1 || only + 1 == clause.len())
    {
        let files = scope::all(clause.get(..be)?);
        return (!files.is_empty()).then(|| (verb.lower.clone(), files));
    }
    if behind.first().is_some_and(|word| word.is("be")) {
        let verb = behind.get(1).filter(|word| word.is_in(tables::FILE_VERB))?;
        let by = behind.get(2).is_some_and(|word| word.is("by"));
        let files = scope::all(clause.get(..only)?);
        return (by && !files.is_empty()).then(|| (verb.lower.clone(), files));
    }
    let verb = behind.iter().take(5).position(|word| is_file_verb(&word.lower)).filter(|at| *at > 0)?;
    let files = scope::all(behind.get(verb + 1..)?);
    let is_place = !scope::all(behind.get(..verb)?).is_empty();
    (only == 0 && !is_place && !files.is_empty()).then(|| ("touch".to_owned(), files))
}

/// Whether a word is a verb about existing files, also as in "she edits".
fn is_file_verb(word: &str) -> bool {
    tables::FILE_VERB.contains(word)
        || word.strip_suffix('s').is_some_and(|stem| tables::FILE_VERB.contains(stem))
}

/// Returns what is not to be used because of a fault: "X is unmaintained, use Y"; "X is fine, Y is not".
pub(super) fn faulty(clause: &[Word]) -> Option<Vec<Name>> {
    let comma = clause.iter().rposition(|word| word.is(","))?;
    let (before, behind) = (clause.get(..comma)?, clause.get(comma + 1..)?);
    let be = |words: &[Word]| {
        words.iter().position(|word| word.is_in(tables::BE) || word.is_in(&["may", "must", "should", "can"]))
    };
    let is_advice =
        behind.first().is_some_and(|word| word.is_in(&["use", "prefer", "take", "switch", "pick"]));
    if let Some(at) = be(before).filter(|_| is_advice) {
        let has_fault = before.get(at..)?.iter().any(|word| word.is_in(tables::FAULTY));
        let named = names(before.get(..at)?);
        return (has_fault && !named.is_empty()).then_some(named);
    }
    let at = be(behind)?;
    let is_not =
        behind.get(at)?.lower.ends_with("n't") || behind.get(at + 1).is_some_and(|word| word.is("not"));
    let is_last = behind.len() <= at + 2;
    let named = names(behind.get(..at)?);
    (is_not && is_last && is_permit(before) && !named.is_empty()).then_some(named)
}

/// Whether words permit what an earlier decision forbids: "X is allowed again".
pub(super) fn is_back(words: &[Word]) -> bool {
    tables::BACK_PHRASE.iter().any(|phrase| has_phrase(words, phrase))
}

/// Returns the names whose ban a clause takes away: "we lifted the ban on X", "the X ban is over"; `None` if it takes none away.
pub(super) fn lifted(words: &[Word]) -> Option<Vec<Name>> {
    const BANS: &[&str] = &["ban", "bans", "prohibition", "prohibitions", "embargo", "moratorium", "veto"];
    const TALKS: &[&str] = &["decision", "rule", "verdict", "ruling", "mind", "minds"];
    const LINKS: &[&str] = &["of", "on", "for", "against", "about", "regarding"];
    let at = words.iter().position(|word| word.is_in(BANS) || word.is_in(TALKS))?;
    let is_ban = words.get(at).is_some_and(|word| word.is_in(BANS));
    let has_link = words.get(at + 1).is_some_and(|word| word.is_in(LINKS));
    let is_over = |word: &Word| {
        word.is_in(tables::LIFTED) && (is_ban || word.is_in(tables::ENDED) || word.is("lifted"))
    };
    let is_changed = words.iter().any(|word| word.is("changed"));
    let is_refused = is_ban && (has_phrase(words, "voted down") || has_phrase(words, "turned down"));
    let is_lifted = is_refused || words.iter().any(is_over) || !is_ban && is_changed;
    let is_negated = words.iter().any(|word| word.is_in(tables::NEGATION));
    if !is_lifted || is_negated || !is_ban && !has_link {
        return None;
    }
    let is_end = |word: &Word| {
        word.is_in(tables::BE)
            || word.is_in(tables::AUXILIARY)
            || word.is_in(tables::LIFTED)
            || word.is_in(&["voted", "turned"])
            || word.is(",")
            || word.is(":")
    };
    let part: Vec<Word> = match has_link {
        true => words.iter().skip(at + 2).take_while(|word| !is_end(word)).cloned().collect(),
        false => words
            .iter()
            .take(at)
            .filter(|word| !is_end(word) && !word.is_in(tables::ADJECTIVE))
            .cloned()
            .collect(),
    };
    Some(names(&part))
}

/// Whether a clause is about a download that a shell runs: "pipe downloads into a shell".
pub(super) fn is_piped(clause: &[Word]) -> bool {
    let at = clause.iter().position(|word| word.is_in(&["pipe", "pipes", "piped", "piping"]));
    let Some(behind) = at.and_then(|at| clause.get(at..)) else { return false };
    let has = |words: &[&str; 5]| behind.iter().any(|word| words.contains(&word.lower.as_str()));
    has(&["curl", "wget", "downloads", "download", "internet"])
        && has(&["sh", "bash", "shell", "shells", "zsh"])
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
