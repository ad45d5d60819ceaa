//! Lines with a purpose of their own: headings, items, ids and fields.

use super::{Section, section_of};

/// Returns the text of a heading.
pub(in super::super) fn heading(line: &str) -> Option<&str> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = line.get(level..)?;
    ((1..=6).contains(&level) && (rest.starts_with(' ') || rest.is_empty()))
        .then(|| rest.trim().trim_end_matches('#').trim())
}

/// Returns the text of a heading without `#`: a line that is bold as a whole, or that a line of marks follows.
pub(super) fn plain_heading<'t>(line: &'t str, next: &str) -> Option<&'t str> {
    // AsciiDoc: "== Dates"
    let marked = line.trim_start_matches('=');
    if (1..=6).contains(&(line.len() - marked.len())) && marked.starts_with(' ') {
        return Some(marked.trim());
    }
    let next = next.trim();
    let is_underlined = next.len() > 2 && (next.chars().all(|c| c == '=') || next.chars().all(|c| c == '-'));
    let is_sentence = line.ends_with(['.', '!', '?', ',', ';']) || line.split(' ').count() > 10;
    if is_underlined && !is_sentence && item(line).is_none() && !line.starts_with('|') {
        return Some(line);
    }
    let inner = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"))?;
    let title = inner.trim_end_matches([':', ' ']);
    let is_title =
        !title.contains("**") && !title.ends_with(['.', '!', '?', ',']) && title.split(' ').count() <= 8;
    (is_title && !is_field(&title.to_lowercase())).then_some(title)
}

/// Returns the title that a paragraph is: a line that ends with a colon, a heading without `#`, or a few words.
pub(in super::super) fn title_of_paragraph(text: &str) -> Option<&str> {
    let mut lines = text.trim().lines();
    let (first, next) = (lines.next()?.trim(), lines.next().unwrap_or_default());
    if let Some(title) = plain_heading(first, next) {
        return Some(title);
    }
    let title = first.trim_end_matches(':').trim_matches(['*', '_', ' ']);
    let most = if first.ends_with(':') { 16 } else { 8 };
    let is_alone = next.is_empty() && !title.contains(". ") && title.split(' ').count() <= most;
    (is_alone && !title.ends_with(['.', '!', ','])).then_some(title.trim_end_matches('?'))
}

pub(super) fn is_decision(title: &str) -> bool {
    [
        "decision",
        "what",
        "decisions",
        "rule",
        "rules",
        "the decision",
        "resolution",
        "resolved",
        "decided",
        "conclusion",
        "agreed",
        "agreement",
        "outcome",
        "decision outcome",
        "beschluss",
        "entscheidung",
        "text",
        "statement",
        "ruling",
    ]
    .contains(&title.to_lowercase().trim_matches([':', ' ', '*']))
}

/// Returns the text behind the marker of a list item.
pub(super) fn item(line: &str) -> Option<&str> {
    if let Some(rest) = ["- ", "* ", "+ ", "• "].iter().find_map(|marker| line.strip_prefix(marker)) {
        return Some(rest.trim_start());
    }
    let digits = line.trim_start_matches('(');
    let length = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    // "(a) …", "iv) …"
    let letters = digits.split_once(") ").filter(|(mark, _)| {
        mark.len() == 1 && mark.chars().all(|c| c.is_ascii_lowercase())
            || (2..=4).contains(&mark.len()) && mark.chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
    });
    if let Some((_, rest)) = letters {
        return Some(rest.trim_start());
    }
    let rest = digits.get(length..).filter(|_| (1..=3).contains(&length))?;
    [". ", ") "].iter().find_map(|marker| rest.strip_prefix(marker)).map(str::trim_start)
}

/// Whether a line begins with the id or the date of a decision, as a log does.
pub(super) fn begins_with_id(line: &str) -> bool {
    if let Some((stamp, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        // "[2025-06-02 10:14] ada: …"
        let digits = stamp.chars().filter(char::is_ascii_digit).count();
        let is_time =
            |c: char| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | ':' | 'T' | 'Z' | ' ' | ',');
        if (digits >= 6 || digits == 4 && stamp.contains(':')) && stamp.chars().all(is_time) {
            return true;
        }
    }
    if is_dated(line) || is_numbered(line) {
        return true;
    }
    let Some(end) = line.find([' ', ':', ')']) else { return false };
    let (first, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let first = first.trim_start_matches(['[', '*', '(']).trim_end_matches([']', '*']);
    let digits = first.chars().filter(char::is_ascii_digit).count();
    let is_date = digits >= 6
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '/' | '.' | ':' | 'T' | 'Z'));
    let is_id = (1..=4).contains(&digits)
        && first.starts_with(char::is_uppercase)
        && first.ends_with(|c: char| c.is_ascii_digit());
    let is_marked =
        [":", " (", " -", " \u{2014}", " \u{2013}", ")", " |"].iter().any(|mark| rest.starts_with(mark));
    is_marked && (is_date || is_id)
}

/// Whether a line begins with a whole date: "2024-05-06 JK: …".
fn is_dated(line: &str) -> bool {
    let first = line.split(' ').next().unwrap_or_default();
    let digits = first.chars().filter(char::is_ascii_digit).count();
    let rest = line.get(first.len()..).unwrap_or_default().trim();
    digits == 8
        && first.len() == 10
        && first.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '/' | '.'))
        && !rest.is_empty()
}

/// Whether a line begins with a number as a list of text files has: "R2  …", "4.1  …", "§ 3 …", "TOP 2 – …".
fn is_numbered(line: &str) -> bool {
    let Some((first, rest)) = line.split_once(' ') else { return false };
    let is_part = |text: &str| {
        let letters = text.chars().take_while(char::is_ascii_uppercase).count();
        let number = text.get(letters..).unwrap_or_default().trim_end_matches(['.', ')', ':']);
        letters <= 3
            && !number.is_empty()
            && number.len() <= 6
            && number.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    if is_part(first) {
        return rest.starts_with(' ')
            || first.contains('.') && first.chars().filter(char::is_ascii_digit).count() > 1;
    }
    let is_noun =
        first == "§" || (2..=8).contains(&first.len()) && first.chars().all(|c| c.is_ascii_uppercase());
    let (number, behind) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
    let is_marked =
        number.ends_with([':', '.', ')']) || behind.starts_with(['-', '\u{2013}', '\u{2014}', '|']);
    is_noun && is_marked && is_part(number)
}

/// Whether a line begins with an order in capitals as a label: "NEVER: …", "DO NOT: …".
pub(super) fn begins_with_order(line: &str) -> bool {
    let Some((label, rest)) = line.split_once(':') else { return false };
    let label = label.trim_matches(['*', '_', ' ']);
    let is_capital = label.chars().all(|c| c.is_uppercase() || matches!(c, ' ' | '\'' | '\u{2019}' | '-'));
    is_capital && label.len() > 1 && label.split(' ').count() <= 3 && rest.starts_with([' ', '*'])
}

/// Whether a line begins with a sign that refuses or allows: "❌ moment".
pub(super) fn begins_with_mark(line: &str) -> bool {
    ["❌", "🚫", "✗", "✘", "⛔", "👎", "🔴", "✅", "✔", "👍", "🟢", "🟡"]
        .iter()
        .any(|mark| line.starts_with(mark))
}

/// Returns the name and value of a field.
pub(super) fn field(line: &str) -> Option<(String, &str)> {
    let bold = line.strip_prefix("**").or_else(|| line.strip_prefix("__"));
    if let Some(bold) = bold {
        let mark = if line.starts_with("**") { "**" } else { "__" };
        let (name, rest) = bold.split_once(mark)?;
        let value = if name.ends_with(':') { rest } else { rest.trim_start().strip_prefix(':')? };
        let name = name.trim_end_matches(':').trim().to_lowercase();
        return is_field(&name).then_some((name, value.trim()));
    }
    let (name, value) = line.split_once(':')?;
    let name = name.trim().to_lowercase();
    (is_field(&name) && (value.is_empty() || value.starts_with(' '))).then_some((name, value.trim()))
}

/// Fields about a decision of several words, and those of one that is no heading.
const FIELDS: &[&str] = &[
    "superseded by",
    "decided by",
    "requested by",
    "reviewed by",
    "last updated",
    "updated",
    "proposed by",
    "agreed by",
    "approved by",
];

fn is_field(name: &str) -> bool {
    is_decision(name) || section_of(name) != Section::Decide || FIELDS.contains(&name)
}
