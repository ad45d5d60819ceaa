//! The spelling of names: what looks like one, and which words do not count.

use super::super::tables;
use super::super::words::Word;

pub(super) fn looks_like_name(word: &Word) -> bool {
    let text = word.text.as_str();
    let mut letters = text.chars();
    let first = letters.next().unwrap_or(' ');
    let has_inner_capital = letters.any(char::is_uppercase) && text.chars().any(char::is_lowercase);
    let has_mark = text.chars().any(|c| matches!(c, '_' | '@' | '(' | '/' | '=' | '*' | '<' | '$' | '\\'))
        || text.trim_start_matches('.').contains('.');
    let has_digit = text.chars().any(|c| c.is_ascii_digit()) && text.chars().any(char::is_alphabetic);
    let is_dashed = text.contains('-')
        && text.len() > 3
        && !text.ends_with('-')
        && first.is_lowercase()
        && !is_english_compound(&word.lower);
    let is_file = text.starts_with('.') && text.len() > 2
        || text.starts_with('-')
            && text.len() > 1
            && text.chars().nth(1).is_some_and(|c| c.is_alphabetic() || c == '-');
    let is_number = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ':' | '%'));
    !is_number && (has_inner_capital || has_mark || has_digit || is_dashed || is_file) && !is_date(text)
}

pub(super) fn is_date(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().filter(char::is_ascii_digit).count() * 2 > text.len()
}

pub(super) fn is_english_compound(word: &str) -> bool {
    let mut parts = word.split('-');
    parts.any(|part| {
        tables::ENGLISH.contains(part)
            || tables::ADJECTIVE.contains(part)
            || [
                "party", "hand", "level", "in", "style", "based", "end", "run", "made", "check", "like",
                "free", "safe", "wide", "off", "on", "re", "ad", "non", "co", "well", "self", "built",
                "side", "project", "lived", "time", "scale", "request", "requests", "commit", "push",
            ]
            .contains(&part)
            || tables::USED.contains(part)
    })
}

/// Whether a word has the ending of an English word for an action or a quality, which a guess at a name is not.
pub(super) fn is_word_form(word: &Word) -> bool {
    const ENDINGS: &[&str] =
        &["ing", "tion", "sion", "tions", "ness", "ly", "able", "ible", "ism", "ship", "ment", "ments"];
    let lower = word.lower.as_str();
    !word.is_code && lower.len() > 5 && ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

/// Whether a word that no table lists may be the name of a library.
pub(in super::super) fn is_unknown(word: &Word) -> bool {
    let lower = word.lower.as_str();
    let is_word = lower.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '+')
        && lower.chars().any(char::is_alphabetic);
    let singular = lower.strip_suffix('s').unwrap_or(lower);
    let lists = [
        tables::ENGLISH,
        tables::PRONOUN,
        tables::ADJECTIVE,
        tables::FILLER,
        tables::ACTOR,
        tables::USED,
        tables::VERB,
        tables::BE,
        tables::AUXILIARY,
        tables::NEGATION,
        tables::BANNED,
        tables::PLACE_WORD,
        tables::BOUNDARY,
        tables::PERMIT,
        tables::ADVERB,
        tables::NOUN,
    ];
    is_word
        && lower.len() > 1
        && !lists.iter().any(|list| list.contains(lower) || list.contains(singular))
        && tables::area(lower).is_none()
}
