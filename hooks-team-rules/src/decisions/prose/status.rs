//! Texts that do not count: suggestions, rejected items, struck parts, ids before a text.
//!
//! A status takes the rule away:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Never use moment. (rejected)\n");
//! assert!(decisions.all().iter().all(|it| it.rules.is_empty()));
//! ```

use super::super::blocks::is_void;
use super::super::tables;
use super::super::words::{Word, sentences};
use super::phrases::contains_phrase;

pub(super) fn is_hedged(words: &[Word]) -> bool {
    let lower = words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
    // "Let's not use X" is decided.
    let lower = ["let's", "let us"].iter().fold(lower, |lower, start| {
        let ends = ["not", "never", "stop"];
        ends.iter().fold(lower, |lower, end| lower.replace(&format!("{start} {end}"), end))
    });
    let lower = lower.strip_prefix("as discussed ").map(str::to_owned).unwrap_or(lower);
    let is_hedge = |word: &&Word| word.is_in(tables::HEDGE) && lower.contains(&word.lower);
    tables::HEDGE_PHRASE.iter().any(|phrase| contains_phrase(&lower, phrase))
        || words.iter().any(|word| is_hedge(&word))
}

/// Whether a statement declares that it does not count: "Discussed, rejected."
pub(super) fn is_rejected(text: &str) -> bool {
    sentences(text).iter().any(|sentence| {
        let mut own = sentence.words.iter().filter(|word| !word.is(","));
        !sentence.words.is_empty()
            && own.all(|word| {
                (tables::VOID.contains(&word.lower) && !word.is("replaced"))
                    || word.is_in(&["discussed", "but", "and", "then", "later", "ok", "was", "carried"])
                    // "Not passed."
                    || word.is_in(tables::ACCEPTED) && sentence.words.iter().any(|word| word.is("not"))
            })
            && sentence.words.iter().any(|word| is_void(&word.lower))
    })
}

/// Whether the first words of an item carry a status that ends it: "D5 (dropped 2025-03): …", "X: proposed by …".
pub(super) fn is_annotated_void(text: &str) -> bool {
    let beginning = text
        .get(..text.len().min(text.char_indices().nth(60).map_or(text.len(), |(at, _)| at)))
        .unwrap_or(text);
    let aside = beginning
        .split_once('(')
        .filter(|(before, _)| before.split_whitespace().count() <= 2)
        .map(|(_, rest)| rest);
    let value = beginning
        .split_once(": ")
        .filter(|(before, _)| before.split_whitespace().count() <= 4)
        .map(|(_, rest)| rest);
    let is_status = |text: &str| {
        let first = text
            .trim_start_matches(['*', '_'])
            .split(|c: char| !c.is_alphanumeric())
            .next()
            .unwrap_or_default();
        is_void(text) && tables::ENDED.contains(&first.to_lowercase())
    };
    aside.is_some_and(is_void)
        || value.is_some_and(is_status)
        || is_label_void(beginning)
        || statuses(beginning).any(|status| is_void(status) && tables::ENDED.contains(&first_word(status)))
        || status_alone(text).is_some_and(|status| !status.contains(' '))
        || states_end(text)
}

fn first_word(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}

/// Returns the short parts at the beginning of an item that marks separate: "2024-04-02 · withdrawn · …", "D3 | rejected | …".
fn statuses(beginning: &str) -> impl Iterator<Item = &str> {
    let parts = beginning.split(['\u{b7}', '|', '\u{2022}', '/']).map(str::trim);
    let count = beginning.matches(['\u{b7}', '|', '\u{2022}']).count();
    parts.take(count).filter(|part| part.split_whitespace().count() <= 2)
}

/// Returns the status of one sentence that a decision begins with, if it ends it: "*Withdrawn.* No X.", "[Rejected] No X."
pub(in super::super) fn status_alone(text: &str) -> Option<&str> {
    let inner = text.trim_start().trim_start_matches(['*', '_', '[', '(', ' ']);
    let end = inner.find(['.', ']', ')', ':', '!', '\n', '*', '_']).unwrap_or(inner.len());
    let status = inner.get(..end)?;
    // "Rejected by the board on 3 May."
    let is_short = status.split_whitespace().count() <= 7;
    let first = status.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let behind = status.get(first.len()..).unwrap_or_default().trim();
    let next = behind.split_whitespace().next().unwrap_or_default();
    // "Rejected by the board: X" may as well refuse X.
    let is_colon = inner.get(end..).is_some_and(|rest| rest.starts_with(':'));
    let is_link = ["by", "on", "in", "after", "at"].contains(&next) || next.starts_with(is_digit);
    let is_whole = behind.is_empty() || is_link && !is_colon;
    // "Proposed 2024-05-02, accepted a week later."
    let is_accepted =
        behind.split(|c: char| !c.is_alphanumeric()).any(|word| tables::ACCEPTED.contains(word));
    (is_short && is_whole && !is_accepted && tables::ENDED.contains(&first.to_lowercase())).then_some(status)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Whether a label with an id also has a status that ends the item: "ADR 14, superseded by ADR 17: …", "D3 — rejected: …".
fn is_label_void(beginning: &str) -> bool {
    let Some((label, _)) = beginning.split_once(": ") else { return false };
    let mut parts =
        label.split([',', '\u{2014}', '\u{2013}', '(', '[', ';']).flat_map(|part| part.split(" - "));
    let has_id =
        parts.next().is_some_and(|id| id.chars().any(is_digit) && id.split_whitespace().count() <= 3);
    let ends = |part: &str| {
        let first = part.split_whitespace().next().unwrap_or_default();
        tables::ENDED.contains(&first.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase())
    };
    has_id && parts.any(ends)
}

/// Whether a status or an aside within an item ends it: "Forbid X. Status: superseded by D7.", "No X (reversed in May)".
fn states_end(text: &str) -> bool {
    let lower = text.to_lowercase();
    let statuses = lower.match_indices("status:").filter_map(|(at, mark)| lower.get(at + mark.len()..));
    let asides = lower.match_indices(['(', '[']).filter_map(|(at, mark)| lower.get(at + mark.len()..));
    let first = |text: &str| {
        let word = text.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        [
            "superseded",
            "rejected",
            "reversed",
            "withdrawn",
            "revoked",
            "rescinded",
            "overturned",
            "retracted",
            "deferred",
            "postponed",
            "suspended",
            "proposed",
        ]
        .contains(&word)
    };
    // "[decided 2021, withdrawn 2022]"
    let is_ended = |aside: &str| {
        let inner = aside.split([')', ']']).next().unwrap_or_default();
        inner.len() < 80
            && inner.split([',', ';']).skip(1).any(|part| first(part.trim_start_matches([' ', '*', '_'])))
    };
    let is_noted = asides.clone().any(is_ended);
    is_noted
        || statuses.map(|status| status.trim_start_matches(|c: char| !c.is_alphanumeric())).any(is_void)
        || asides.map(str::to_owned).any(|aside| first(&aside))
}

/// Removes an id, a date or a number before a text: `ADR-014: …`, `D2 (kept): …`, `2024/03: …`.
pub(super) fn without_id(text: &str) -> &str {
    // "*Accepted.* No X": the mark at the start belongs to the one behind the status.
    let is_stressed = text.starts_with(['*', '_']) && !text.starts_with("**") && !text.starts_with("__");
    if is_stressed && [".*", "._", ":*", ":_"].iter().any(|end| text.contains(end)) {
        return text;
    }
    let mut text = text.trim().trim_start_matches(['*', '_', '[', ' ']);
    for _ in 0..3 {
        let Some(end) = text.find([':', ' ', '.', ']']) else { return text };
        let (first, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let first = first.trim_matches(|c: char| !c.is_alphanumeric());
        let is_marked = [":", ".", "]", " (", " -", " \u{2014}", " \u{2013}", ")", " |", "  ", " \u{b7}"]
            .iter()
            .any(|mark| rest.starts_with(mark));
        let digits = first.chars().filter(char::is_ascii_digit).count();
        let letters = first.chars().filter(|c| c.is_alphabetic()).count();
        let is_id = digits > 0
            && (letters == 0
                || (letters <= 4
                    && first.chars().last().is_some_and(|c| c.is_ascii_digit())
                    && first.chars().next().is_some_and(char::is_uppercase))
                || first.contains('T') && digits > 7);
        let is_word = ["adr", "decision", "rfc", "rule"].contains(&first.to_lowercase().as_str())
            && (rest.starts_with(':') || rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        if !(is_id && (is_marked || letters == 0) || first.starts_with("ADR")) && !is_word {
            return text;
        }
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ":.*_-—–]·|".contains(c));
        text = match rest.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
            Some((aside, behind)) if behind.starts_with(':') && aside.split(' ').count() <= 3 => {
                behind.trim_start_matches([':', ' '])
            }
            _ => rest,
        };
    }
    text
}

/// Replaces "under no circumstances" and the like by "never".
pub(super) fn emphatic(text: &str) -> String {
    const PHRASES: &[&str] = &[
        "under no circumstances",
        "at no time",
        "in no case",
        "on no account",
        "by no means",
        "not ever",
        "not under any circumstances",
    ];
    let mut text = text.to_owned();
    for phrase in PHRASES {
        let capital: String = phrase
            .chars()
            .enumerate()
            .map(|(at, c)| if at == 0 { c.to_ascii_uppercase() } else { c })
            .collect();
        text = text.replace(phrase, "never").replace(&capital, "Never");
    }
    text
}

/// Joins the lines of a paragraph.
pub(super) fn joined(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Removes the parts that are struck out.
pub(super) fn without_struck(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("~~") {
        kept.push_str(before);
        let Some((struck, after)) = behind.split_once("~~").filter(|(struck, _)| !struck.contains("\n\n"))
        else {
            kept.push_str("~~");
            rest = behind;
            continue;
        };
        kept.extend(struck.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    kept.push_str(rest);
    kept
}
