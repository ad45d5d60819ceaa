//! Decisions that take earlier ones away.
//!
//! ```
//! use hooks_team_rules::decisions::{Decisions, Enforcement};
//!
//! let text = "### D-1: No axios\nNever use axios.\n\n### D-2: HTTP\nThis supersedes D-1.\n";
//! assert!(matches!(Decisions::parse(text).all()[0].enforcement, Enforcement::Void(_)));
//! ```

use super::super::tables;
use super::Later;

/// Returns the ids and dates of decisions that the text takes away.
pub(super) fn reversed(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let lower = line.to_lowercase();
        let words: Vec<&str> = lower
            .split(|c: char| c.is_whitespace() || ",;()\"*:`".contains(c))
            .map(|word| word.trim_matches('.'))
            .filter(|word| !word.is_empty())
            .collect();
        let ends = [
            "does not apply any more",
            "doesn't apply any more",
            "does not hold any more",
            "do not apply any more",
            "does not apply anymore",
            "not in force any more",
            "takes back",
            "take back",
            "took back",
            "no longer applies",
            "no longer valid",
            "no longer in force",
            "no longer binding",
            "no longer holds",
        ];
        let end = || ends.iter().any(|end| lower.contains(end)).then_some(0);
        let at = words.iter().position(|word| tables::REVERSE.contains(word)).or_else(end);
        let Some(at) = at else { continue };
        // "superseded by X" is about this decision.
        if words.get(at + 1) == Some(&"by") {
            continue;
        }
        for (number, word) in words.iter().enumerate() {
            let digits = word.chars().filter(char::is_ascii_digit).count();
            let is_date = digits == 8 && word.len() == 10;
            let is_id = digits > 0
                && digits < 6
                && word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '#')
                && (word.contains('-') || word.starts_with(char::is_alphabetic));
            let spaced = digits == word.len()
                && digits > 0
                && number
                    .checked_sub(1)
                    .and_then(|at| words.get(at))
                    .is_some_and(|before| ["adr", "decision", "rfc", "rule"].contains(before));
            let is_near = number > at || is_date || number + 6 > at;
            if let Some(own) = numbered(&words, number, at).filter(|_| is_near) {
                found.push(format!("{NUMBER}{own}"));
            }
            if (is_date || is_id) && is_near {
                found.push((*word).to_owned());
            } else if spaced {
                found.push(format!("{} {word}", words.get(number.saturating_sub(1)).unwrap_or(&"")));
            }
        }
        let quoted =
            line.split('"').skip(1).step_by(2).map(str::to_lowercase).filter(|title| title.len() > 3);
        found.extend(quoted);
    }
    found
}

/// Mark before the number of a decision.
const NUMBER: char = '\u{2116}';

/// Returns the number of a decision that a word is: "decision 4", "#4", or the object of a verb at `verb` such as
/// "supersedes 4".
fn numbered<'w>(words: &[&'w str], at: usize, verb: usize) -> Option<&'w str> {
    let word = *words.get(at)?;
    let number = word.trim_start_matches('#');
    let is_number = (1..=3).contains(&number.len()) && number.chars().all(|c| c.is_ascii_digit());
    let before = at.checked_sub(1).and_then(|at| words.get(at));
    let nouns = [
        "adr",
        "decision",
        "rfc",
        "rule",
        "number",
        "no",
        "nr",
        "item",
        "point",
        "entry",
        "decisions",
        "rules",
    ];
    let is_named = number.len() < word.len() || before.is_some_and(|word| nouns.contains(word));
    let is_object = at == verb + 1 && words.get(at + 1).is_none_or(|next| ["and", "or"].contains(next));
    (is_number && (is_named || is_object)).then(|| number.trim_start_matches('0'))
}

/// Returns the number that a decision begins with: "## 4. Dates", "Decision 4: …", "#4 …".
pub(super) fn number_of(text: &str) -> Option<String> {
    let first = text.trim_start().lines().next()?.to_lowercase();
    let plain = first.trim_start_matches(|c: char| "#*_([ ".contains(c));
    let nouns = ["adr", "decision", "rfc", "rule", "no.", "nr.", "d", "r"];
    let rest = nouns.iter().find_map(|noun| plain.strip_prefix(noun)).unwrap_or(plain);
    let rest = rest.trim_start_matches(|c: char| "-# ".contains(c));
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, behind) = rest.split_at_checked(end)?;
    let is_date =
        behind.starts_with(['-', '/', '.']) && behind.chars().nth(1).is_some_and(|c| c.is_ascii_digit());
    let is_marked =
        behind.is_empty() || behind.starts_with(['.', ')', ':', ']', ' ', ',', '*', '\u{2014}', '\u{2013}']);
    ((1..=3).contains(&number.len()) && !is_date && is_marked)
        .then(|| number.trim_start_matches('0').to_owned())
}

/// Whether a later decision takes away the one with this heading, in lower case, number and date.
pub(super) fn is_reversed(heading: &str, number: Option<&str>, date: Option<&str>, later: &Later) -> bool {
    later.reversed.iter().any(|id| {
        if let Some(wanted) = id.strip_prefix(NUMBER) {
            return number == Some(wanted);
        }
        let is_named = heading.match_indices(id.as_str()).any(|(at, _)| {
            let behind = heading.get(at + id.len()..).and_then(|rest| rest.chars().next());
            let before = heading.get(..at).and_then(|rest| rest.chars().next_back());
            !behind.is_some_and(char::is_alphanumeric) && !before.is_some_and(char::is_alphanumeric)
        });
        is_named || date == Some(id.as_str())
    })
}
