//! Reads a clause: what it forbids, what it permits, and what it is about.

use super::super::names::{Name, names};
use super::super::scope::{self, Scope, scope};
use super::super::tables;
use super::super::words::Word;
use super::condition::is_needed;
use super::exempt::{Exemption, exemption};
use super::past::{is_of_others, is_remembered};
use super::permit::{faulty, is_back, is_permit, is_piped, lifted, only_by, only_in};
use super::phrases::{has_phrase, plain, starts_with_phrase};
use super::predicate::predicate;
use super::replacement::replacement;
use super::{Context, Reading};

impl Reading {
    /// Reads a clause.
    pub(super) fn clause(&mut self, clause: &[Word], context: &mut Context) {
        let clause = agreed(clause);
        if clause.is_empty() || is_needed(clause) {
            return;
        }
        if is_remembered(clause) || is_of_others(clause) {
            self.leave_unclear(context);
            return;
        }
        let before = self.rules.len();
        self.own_clause(clause, context);
        let allowed = scope::excepted(clause);
        for rule in self.rules.get_mut(before..).unwrap_or_default() {
            rule.allow.extend(allowed.iter().filter(|name| !rule.packages.contains(name)).cloned());
        }
        let globs = scope::all(clause);
        if !globs.is_empty() {
            context.has_place |= self.rules.len() == before;
            context.globs = globs;
        }
    }

    fn own_clause(&mut self, clause: &[Word], context: &mut Context) {
        if let Some((forbidden, instead)) = with_instead(clause) {
            let before = self.rules.len();
            self.clause(&forbidden, context);
            for rule in self.rules.get_mut(before..).unwrap_or_default() {
                rule.instead = rule.instead.take().or_else(|| instead.clone());
            }
            return;
        }
        if is_everywhere_else(clause) && self.rules.len() > context.start {
            // "X is read in `a.py` only. Everywhere else it is forbidden."
            return;
        }
        if let Some(lifted) = lifted(clause) {
            self.permits.extend(lifted.into_iter().map(|name| name.text));
            return;
        }
        if let Some(ban) = replacement(clause, context) {
            let rest = ban.1;
            self.forbid_in(ban.0, context);
            if let Some(rest) = rest {
                self.clause(&rest, context);
            }
            return;
        }
        let is_for_others = clause.first().is_some_and(|word| word.is_in(&["other", "others", "elsewhere"]))
            && (is_permit(clause) || tables::PERMIT_PHRASE.iter().any(|phrase| has_phrase(clause, phrase)));
        if is_for_others {
            // "Inside `a/` no X. Other packages may keep it."
            let own = self.rules.split_off(context.start.min(self.rules.len()));
            let is_placed = own.iter().any(|rule| !rule.within.is_empty());
            self.rules.extend(own.into_iter().filter(|rule| !is_placed || !rule.within.is_empty()));
            return;
        }
        let is_exempt = tables::PERMIT_PHRASE.iter().any(|phrase| has_phrase(clause, phrase));
        if is_exempt && !scope::all(clause).is_empty() {
            if self.rules.is_empty() {
                self.exempt_in_list(clause);
            }
            self.except_places(&scope::all(clause), context.start);
            return;
        }
        if let Some(old) = faulty(clause) {
            self.forbid_named(old, Scope::default(), "use", None, context);
            return;
        }
        if let Some((verb, object)) = only_by(clause) {
            self.forbid_to_all(&verb, object, context);
            return;
        }
        if is_piped(clause) && predicate(clause).is_some() {
            let name =
                Name { text: "curl | sh".to_owned(), is_code: false, noun: String::new(), is_new: false };
            self.forbid_named(vec![name], Scope::default(), "use", None, context);
            return;
        }
        if let Some((places, subject)) = only_in(clause) {
            context.is_only = true;
            let scope = Scope { except: places, ..Scope::default() };
            self.forbid_named(names(&subject), scope, "use", None, context);
            return;
        }
        if let Some(others) = as_well(clause).filter(|_| context.is_ban || self.rules.len() > context.start) {
            self.forbid_as_well(others, context);
            return;
        }
        if let Some(found) = predicate(clause) {
            self.predicate(clause, &found, context);
            return;
        }
        let outside = scope(clause).0.except;
        if !outside.is_empty() {
            // "Except for `x/`."
            self.except_places(&outside, context.start);
            return;
        }
        let (places, around) = scope(clause);
        let is_only_place = |word: &Word| {
            word.is_in(&[
                "anywhere",
                "everywhere",
                "at",
                "least",
                "and",
                "also",
                "specifically",
                "namely",
                "that",
                "is",
                "effectively",
                "means",
                "practically",
            ])
        };
        if !places.within.is_empty() && around.iter().all(is_only_place) {
            // "X is banned -- anywhere under `a/`"
            let own = self.rules.get_mut(context.sentence..).unwrap_or_default();
            own.iter_mut()
                .filter(|rule| rule.within.is_empty())
                .for_each(|rule| rule.within.clone_from(&places.within));
            return;
        }
        let globs = scope::all(clause);
        let is_left = clause.iter().any(|word| word.is("leave"))
            && (has_phrase(clause, "as it is") || has_phrase(clause, "as is"));
        if !globs.is_empty() && (is_left || clause.iter().any(|word| word.is("still"))) {
            self.except_places(&globs, context.start);
        }
        if is_permit(clause) || is_back(clause) {
            self.except(clause, context.start);
        } else if (scope(clause).1.iter().any(|word| word.is_in(&["likewise", "too", "ditto"]))
            || says_same(clause))
            && self.rules.len() > context.start
        {
            self.forbid_as_well(clause, context);
            return;
        }
        // The first names of a sentence are its topic; what is to be used is not.
        let is_advice = clause.first().is_some_and(|word| word.is_in(tables::CHOOSE));
        let own = names(clause);
        // "X is banned; Y has it built in": X is the topic.
        let is_topic = !is_advice && !context.has_topic && !context.is_ban;
        if !own.is_empty() && (context.last.is_empty() || is_topic) {
            context.last = own;
            context.has_topic = true;
        }
    }

    /// Exempts the places of a clause from what other entries forbid.
    fn exempt_in_list(&mut self, clause: &[Word]) {
        let places = scope::all(clause);
        match exemption(clause) {
            Some(Exemption::All) => self.exempt.extend(places),
            Some(Exemption::From(names)) => {
                self.allows.extend(names.into_iter().map(|name| (name.text, places.clone())));
            }
            None => {}
        }
    }

    /// Forbids another name in the same places.
    pub(super) fn forbid_as_well(&mut self, words: &[Word], context: &mut Context) {
        let is_code =
            self.rules.last().is_some_and(|last| !last.calls.is_empty() || !last.content.is_empty());
        let verb = if is_code { "called" } else { "use" };
        let (mut places, rest) = scope(words);
        if let Some(last) = self.rules.last().filter(|_| places == Scope::default()) {
            (places.within, places.except) = (last.within.clone(), last.except.clone());
        }
        self.forbid_named(names(&rest), places, verb, None, context);
    }
}

/// Returns the words behind "we agreed that".
fn agreed(clause: &[Word]) -> &[Word] {
    const VERBS: &[&str] = &[
        "agreed",
        "decided",
        "resolved",
        "concluded",
        "settled",
        "ruled",
        "determined",
        "declared",
        "agree",
        "means",
        "confirm",
        "confirmed",
        "stress",
        "repeat",
        "state",
    ];
    let is_start = |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| clause.get(at));
        let is_negated = clause.iter().take(*at).any(|word| word.is_in(tables::NEGATION) || word.is_code);
        before.is_some_and(|word| word.is_in(VERBS)) && !is_negated
    };
    let that = clause.iter().take(12).position(|word| word.is("that")).filter(is_start);
    that.and_then(|at| clause.get(at + 1..)).unwrap_or(clause)
}

/// Returns what a verdict holds for as well: "so is X", "neither must X", "X neither".
pub(super) fn as_well(clause: &[Word]) -> Option<&[Word]> {
    let start = clause.iter().take_while(|word| word.is(",") || word.is_in(&["and", "but", "also"])).count();
    match clause.get(start..)? {
        [first, verb, others @ ..]
            if first.is_in(&["so", "neither", "nor"])
                && (verb.is_in(tables::BE) || verb.is_in(tables::AUXILIARY)) =>
        {
            (others.len() <= 6).then_some(others)
        }
        [others @ .., last] if last.is("neither") && !others.is_empty() => Some(others),
        _ => None,
    }
    .filter(|others| !names(others).is_empty())
}

/// Splits a clause that ends with its replacement: "ban X, Y instead".
fn with_instead(clause: &[Word]) -> Option<(Vec<Word>, Option<String>)> {
    let at = clause.iter().position(|word| word.is("instead"))?;
    if clause.get(at + 1).is_some_and(|next| next.is("of")) {
        return None;
    }
    let comma = clause.get(..at)?.iter().rposition(|word| word.is(",")).filter(|comma| *comma > 0)?;
    // "no X, Y instead", "no X, instead the Y"
    let instead =
        clause.get(comma + 1..at).filter(|before| !before.is_empty()).or_else(|| clause.get(at + 1..))?;
    let is_behind = comma + 1 == at;
    let forbidden = clause.get(..comma)?;
    let is_stated = predicate(forbidden).is_some_and(|found| !found.is_permit);
    (is_stated && predicate(instead).is_none() && instead.len() <= 8 && !names(instead).is_empty()).then(
        || {
            let behind = clause.get(at + 1..).filter(|_| !is_behind).unwrap_or_default();
            let instead: Vec<Word> =
                instead.iter().filter(|word| !word.is_in(tables::CHOOSE)).cloned().collect();
            ([forbidden, behind].concat(), plain(&instead))
        },
    )
}

/// Whether a clause is about all places but those that were named before.
fn is_everywhere_else(clause: &[Word]) -> bool {
    ["everywhere else", "anywhere else", "elsewhere", "nowhere else", "all other places", "in all other"]
        .iter()
        .chain(&[
            "in application code",
            "in production code",
            "in product code",
            "in app code",
            "in normal code",
        ])
        .any(|phrase| starts_with_phrase(clause, phrase))
}

/// Whether a clause states that a verdict holds for another name.
pub(super) fn says_same(clause: &[Word]) -> bool {
    SAME.iter().any(|phrase| has_phrase(clause, phrase))
}

/// Phrases with which a verdict holds for another name: "`X` as well".
const SAME: &[&str] = &[
    "as well",
    "along with it",
    "along with that",
    "same is true of",
    "same is true for",
    "same for",
    "same goes for",
    "same applies to",
    "same holds for",
    "is no better",
    "are no better",
    "is no different",
    "are no different",
    "counts as the same",
    "count as the same",
    "counts as well",
    "goes for",
    "is just as bad",
    "is equally bad",
    "falls under this",
    "falls under the same",
];
