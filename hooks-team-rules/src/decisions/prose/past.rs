//! Rules of another time or place, which a decision only remembers.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! for text in ["In 2019 we refused React. That was wrong.", "In the old repo, eval was forbidden."] {
//!     assert!(Decisions::parse(&format!("- {text}\n")).all().iter().all(|it| it.rules.is_empty()), "{text}");
//! }
//! ```

use super::super::tables;
use super::super::words::Word;
use super::order::is_order;
use super::phrases::{has_phrase, starts_with_phrase};

/// Words for a place of another time.
const FORMER: &[&str] = &["old", "former", "previous", "last", "other", "first"];
/// Nouns for the work of a team.
const WORKS: &[&str] = &[
    "repo",
    "repository",
    "project",
    "codebase",
    "company",
    "team",
    "job",
    "product",
    "monolith",
    "system",
    "app",
    "version",
    "days",
];
/// Verbs of a report.
const PAST: &[&str] = &["was", "were", "had", "used", "did", "banned", "forbade"];

/// Whether a sentence takes the one before it back: "That was wrong."
pub(super) fn takes_back(words: &[Word]) -> bool {
    words.len() <= 8 && tables::RETRACTION.iter().any(|phrase| starts_with_phrase(words, phrase))
}

/// Whether a clause reports the ban of others: "some teams ban X".
pub(super) fn is_of_others(clause: &[Word]) -> bool {
    const OTHERS: &[&str] = &["some", "other", "many", "most", "several", "few"];
    const PEOPLE: &[&str] = &["teams", "people", "companies", "developers", "squads", "projects", "shops"];
    let [first, people, behind @ ..] = clause else { return false };
    let mut verbs = behind.iter().skip_while(|word| word.is_in(tables::AUXILIARY));
    first.is_in(OTHERS) && people.is_in(PEOPLE) && verbs.next().is_some_and(is_order)
}

/// Whether a clause is about the work of another time: "in the old repo, X was forbidden".
pub(super) fn is_remembered(clause: &[Word]) -> bool {
    let is_place = |triple: &[Word]| match triple {
        [link, former, work] => {
            (link.is_in(tables::ADJECTIVE) || link.is_in(&["in", "at", "on"]))
                && former.is_in(FORMER)
                && work.is_in(WORKS)
        }
        _ => false,
    };
    let is_past = clause.iter().any(|word| word.is_in(PAST));
    // "X was forbidden until 2023"
    let is_until = |pair: &[Word]| matches!(pair, [until, year] if until.is_in(&["until", "till"]) && year.text.starts_with("20"));
    if clause.iter().any(|word| word.is_in(&["was", "were"])) && clause.windows(2).any(is_until) {
        return true;
    }
    is_past && (clause.windows(3).any(is_place) || has_phrase(clause, "back then"))
}
