//! Statuses and titles with which a decision does not count.

use super::super::tables;

/// Whether a status means that a decision does not count.
pub(in super::super) fn is_void(status: &str) -> bool {
    let lower = status.to_lowercase();
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '-')).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    // "Accepted, now reversed"
    let ends = |part: &str| {
        let mut words = part
            .split_whitespace()
            .skip_while(|word| ["now", "then", "later", "since", "but", "was"].contains(word));
        let word = words.next().unwrap_or_default().trim_matches(|c: char| !c.is_alphanumeric());
        ["reversed", "superseded", "withdrawn", "rejected", "revoked", "rescinded", "void", "retired"]
            .contains(&word)
    };
    tables::VOID.contains(first)
        || (["under", "in"].contains(&first) && ["discussion", "review"].contains(&second))
        || (first == "to" && second == "be")
        || lower.contains("on hold")
        || lower.split([',', ';']).skip(1).any(ends)
}

/// Whether a title is that of things that were not decided: "Discussed and not adopted", "Open questions".
pub(in super::super) fn is_void_title(title: &str) -> bool {
    const LINKS: &[&str] = &[
        "and",
        "or",
        "but",
        "/",
        "&",
        "these",
        "were",
        "was",
        "we",
        "have",
        "been",
        "things",
        "items",
        "points",
        "decisions",
        "rules",
        "so",
        "far",
        "now",
        "currently",
        "the",
        "list",
        "of",
        "then",
        "only",
        "still",
        "for",
    ];
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\''))
        .filter(|word| word.chars().any(char::is_alphabetic))
        .collect();
    let (mut at, mut is_void) = (0, false);
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let fits = |phrase: &&&str| {
            let count = phrase.split(' ').count();
            rest.len() >= count && phrase.split(' ').zip(rest).all(|(wanted, word)| wanted == *word)
        };
        let phrase = tables::VOID_TITLE.iter().filter(fits).map(|phrase| phrase.split(' ').count()).max();
        let is_link = rest.first().is_some_and(|word| LINKS.contains(word));
        match phrase {
            Some(length) => (at, is_void) = (at + length, true),
            None if is_link => at += 1,
            None => return false,
        }
    }
    is_void
}
