//! Parts of a sentence that permit again what the part before them forbids.
//!
//! The place of such a part is an exception, and no place of the rule:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Moment is banned but still allowed in `legacy/`.\n");
//! let rule = &decisions.all()[0].rules[0];
//! assert!(rule.within.is_empty());
//! assert_eq!(rule.except, ["legacy/**"]);
//! ```

use super::super::names::{Name, is_path, names};
use super::super::scope;
use super::super::tables;
use super::super::words::Word;
use super::predicate::Predicate;
use super::{Context, Reading};

/// Words before a part that takes back something.
const CONCESSIONS: &[&str] = &["but", "yet", "though", "although", "while", "whereas", "however"];
/// Words before a part that may as well go on.
const LINKS: &[&str] = &[",", "and", "—"];
/// Words between a subject and the word that permits.
const BETWEEN: &[&str] = &[
    "still",
    "only",
    "also",
    "currently",
    "however",
    "explicitly",
    "we",
    "they",
    "remain",
    "remains",
    "stay",
    "stays",
    "always",
    "perfectly",
    "of",
    "course",
    ",",
    "but",
];
/// Words of a part that permits only what exists.
const EXISTING: &[&str] = &[
    "existing",
    "old",
    "legacy",
    "current",
    "already",
    "where",
    "remaining",
    "present",
    "old",
    "usages",
    "uses",
    "places",
    "there",
];

impl Reading {
    /// Reads a ban of which a part behind it permits something again.
    pub(super) fn conceded(
        &mut self,
        clause: &[Word],
        found: &Predicate,
        part: &Concession<'_>,
        context: &mut Context,
    ) {
        if part.is_whole {
            // "X is deprecated upstream, but we keep it": the team keeps it.
            self.leave_unclear(context);
            return;
        }
        let before = self.rules.len();
        let end = found.end + part.before.len();
        self.predicate(clause.get(..end).unwrap_or(clause), found, context);
        if !part.is_other {
            self.except_part(part.words, before.min(context.start));
        }
    }

    /// Notes that a clause forbids nothing that a call shows.
    pub(super) fn leave_unclear(&mut self, context: &mut Context) {
        self.is_unclear = true;
        context.is_void = true;
    }
}

/// A part that permits.
pub(super) struct Concession<'w> {
    /// Words before it.
    pub(super) before: &'w [Word],
    /// The words that permit.
    pub(super) words: &'w [Word],
    /// Whether it permits everything that the words before it forbid.
    pub(super) is_whole: bool,
    /// Whether it is about another thing.
    pub(super) is_other: bool,
}

/// Splits the words behind a ban at a part that permits: "but still allowed in `legacy/`".
pub(super) fn concession(behind: &[Word]) -> Option<Concession<'_>> {
    (0..behind.len()).find_map(|at| {
        let is_strong = behind.get(at)?.is_in(CONCESSIONS);
        if !is_strong && !behind.get(at)?.is_in(LINKS) {
            return None;
        }
        let words = behind.get(at + 1..)?;
        if is_own_refusal(words) {
            let before = behind.get(..at)?;
            return Some(Concession { before, words, is_whole: true, is_other: false });
        }
        let permit = permit_at(words)?;
        let subject = words.get(..permit)?;
        let is_plain = |word: &Word| {
            word.is_in(BETWEEN)
                || [tables::BE, tables::AUXILIARY, tables::ADJECTIVE, tables::PRONOUN, tables::ACTOR]
                    .iter()
                    .any(|list| word.is_in(*list))
        };
        let is_same = subject.iter().all(is_plain);
        let has_place = !scope::all(words).is_empty();
        let is_old = words.iter().any(|word| word.is_in(EXISTING));
        // "… but `scripts/` may use it" is about the same thing.
        let is_other = !names(&scope::scope(subject).1).iter().all(|name| name.is_code && is_path_name(name));
        let is_clear = is_strong || is_same && has_place;
        if !is_clear {
            return None;
        }
        let before = behind.get(..at)?;
        Some(Concession { before, words, is_whole: !has_place && !is_old && is_same, is_other })
    })
}

/// Whether words take back a ban of others for the team: "…, we don't".
pub(super) fn is_own_refusal(words: &[Word]) -> bool {
    let [we, verb, rest @ ..] = words else { return false };
    let is_negated = verb.is_in(tables::NEGATION) || rest.iter().any(|word| word.is("not"));
    we.is("we") && verb.is_in(tables::AUXILIARY) && is_negated && rest.iter().all(|word| word.is("not"))
}

fn is_path_name(name: &Name) -> bool {
    is_path(&Word::new(&name.text, name.is_code))
}

/// A subject that the words before a ban permit in places.
pub(super) struct Permitted<'w> {
    /// The subject alone.
    pub(super) subject: &'w [Word],
    /// The places.
    pub(super) places: Vec<String>,
}

/// Returns what the words before a ban permit, and where: "X is fine in `a/`, but …".
pub(super) fn permitted_before(subject: &[Word]) -> Option<Permitted<'_>> {
    let is_link = |word: &Word| word.is(",") || word.is("and") || word.is_in(CONCESSIONS);
    let be = subject.iter().position(|word| word.is_in(tables::BE) || word.is_in(tables::AUXILIARY))?;
    let (own, behind) = subject.split_at_checked(be)?;
    let places = scope::all(behind);
    let is_whole = subject.last().is_some_and(is_link) && !names(own).is_empty() && !places.is_empty();
    permit_at(behind).filter(|_| is_whole).map(|_| Permitted { subject: own, places })
}

/// Returns the position of the first words that permit the use of something.
fn permit_at(words: &[Word]) -> Option<usize> {
    let at = words.iter().take(8).position(|word| word.is_in(tables::PERMIT))?;
    let is_negated = words.iter().take(at + 2).any(|word| word.is_in(tables::NEGATION));
    let is_modal = words.get(at)?.is_in(&["may", "can"]);
    let is_use = words.iter().skip(at + 1).take(2).any(|word| {
        word.is_in(&["used", "use", "stay", "remain", "keep", "continue", "live", "be"])
            && !words.get(at + 2).is_some_and(|next| next.is_in(&["removed", "dropped", "deleted"]))
    });
    (!is_negated && (!is_modal || is_use)).then_some(at)
}
