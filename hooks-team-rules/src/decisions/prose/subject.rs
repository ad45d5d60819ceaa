//! The subject of a sentence, without the words of another sentence before it.
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Charts: d3 stays, Chart.js goes.\n");
//! let rules = &decisions.all()[0].rules;
//! assert_eq!(rules[0].packages[0], "Chart.js");
//! assert_eq!(rules.len(), 1);
//! ```

use super::super::names::{is_path, names};
use super::super::scope::{Scope, scope};
use super::super::tables;
use super::super::words::Word;

/// Whether a subject is a path and nothing else: the place of what is forbidden there.
pub(super) fn is_place_alone(subject: &[Word]) -> bool {
    let is_link = |word: &Word| {
        word.is_in(tables::ADJECTIVE)
            || word.is_in(tables::AUXILIARY)
            || word.is_in(tables::BE)
            || word.is_in(&[",", "and", "or", "nor", "stay", "stays", "remain", "remains", "files", "code"])
    };
    subject.iter().any(is_path) && subject.iter().all(|word| is_path(word) || is_link(word))
}

/// Words that begin a part before a sentence: "as agreed on Monday, X is banned".
const ADVERBIAL: &[&str] = &[
    "as",
    "since",
    "because",
    "after",
    "from",
    "starting",
    "effective",
    "on",
    "per",
    "following",
    "given",
    "until",
];

/// Returns the words of a subject behind those of another sentence: "new code uses Y, X must not be added".
pub(super) fn own_subject(words: &[Word]) -> &[Word] {
    const VERBS: &[&str] = &[
        "needs", "requires", "has", "brings", "pulls", "costs", "breaks", "wants", "lacks", "fails", "leaks",
        "takes",
    ];
    // "X needs Y and is banned"
    let verb = words.iter().position(|word| word.is_in(VERBS)).filter(|at| *at > 0);
    if let Some(verb) = verb.filter(|_| words.last().is_some_and(|word| word.is("and") || word.is(","))) {
        return words.get(..verb).unwrap_or(words);
    }
    // "X is unmaintained, hence forbidden"
    let is_joint = |word: &&Word| word.is_in(tables::ADVERB) || word.is_in(&[",", "and", "so"]);
    let end = words.len() - words.iter().rev().take_while(is_joint).count();
    let words = words.get(..end).unwrap_or(words);
    let Some(comma) = words.iter().rposition(|word| word.is(",")) else { return words };
    let (before, behind) = words.split_at_checked(comma).unwrap_or((words, &[]));
    let is_adverbial =
        words.first().is_some_and(|word| word.is_in(ADVERBIAL)) && scope(before).0 == Scope::default();
    if is_adverbial && !names(behind).is_empty() {
        return behind;
    }
    let is_sentence = before.iter().any(|word| {
        word.is_in(tables::BE) || word.is_in(tables::CHOOSE) || word.is("uses") || word.is_in(tables::BANNED)
    }) || before.last().is_some_and(|word| {
        word.is_in(&[
            "everywhere",
            "instead",
            "only",
            "now",
            "throughout",
            "stays",
            "stay",
            "remains",
            "wins",
        ])
    });
    let behind = behind.get(1..).unwrap_or_default();
    if is_sentence && !names(behind).is_empty() { behind } else { words }
}
