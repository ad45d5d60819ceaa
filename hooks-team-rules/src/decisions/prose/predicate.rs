//! The words of a clause that forbid something.

use super::super::names::names;
use super::super::tables;
use super::super::words::Word;
use super::negation::{is_verb, negated, stem};
use super::order::{left_alone, ordered};
use super::phrases::starts_with_phrase;

/// Position of the words that forbid something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Predicate {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) verb: String,
    /// Whether the object is forbidden, and not the subject.
    pub(super) is_object: bool,
    /// Whether it permits instead: "X is not banned any more".
    pub(super) is_permit: bool,
}

/// Finds the first words in a clause that forbid something.
pub(super) fn predicate(clause: &[Word]) -> Option<Predicate> {
    (0..clause.len()).find_map(|at| {
        ordered(clause, at)
            .or_else(|| left_alone(clause, at))
            .or_else(|| forbidden_to(clause, at))
            .or_else(|| free_of(clause, at))
            .or_else(|| banned(clause, at))
            .or_else(|| kept_out(clause, at))
            .or_else(|| {
                // "You aren't allowed to use X"
                let is_negation = clause.get(at)?.is_in(tables::NEGATION);
                forbidden_to(clause, at + 1).filter(|_| is_negation)
            })
            .or_else(|| negated(clause, at))
    })
}

/// A state without something: "new code must be free of X".
fn free_of(clause: &[Word], at: usize) -> Option<Predicate> {
    let is_free = clause.get(at)?.is("free") && clause.get(at + 1)?.is_in(&["of", "from"]);
    let has_verb = clause.get(..at)?.iter().rev().take(2).any(|word| {
        word.is_in(tables::BE) || word.is_in(&["stay", "stays", "remain", "remains", "keep", "keeps", "kept"])
    });
    let is_negated = clause.get(..at)?.iter().any(|word| word.is_in(tables::NEGATION));
    let verb = || "use".to_owned();
    (is_free && has_verb && !is_negated).then(|| Predicate {
        start: at,
        end: at + 2,
        verb: verb(),
        is_object: true,
        is_permit: false,
    })
}

/// An order to leave something out: "keep X out of the bundle".
fn kept_out(clause: &[Word], at: usize) -> Option<Predicate> {
    let word = clause.get(at)?;
    let before = clause.get(..at)?;
    let is_start = before.iter().all(|word| word.is_in(tables::ORDER_START) || word.is_in(tables::ACTOR));
    let behind = clause.get(at + 1..)?;
    let out =
        behind.iter().position(|word| word.is_in(&["out", "away"])).filter(|out| (1..6).contains(out))?;
    let is_order =
        word.is_in(&["keep", "leave", "vote", "voted", "throw", "kick", "kicked", "phase", "phasing"]);
    let is_named = !names(behind.get(..out)?).is_empty();
    (is_order && is_start && is_named).then(|| Predicate {
        start: at,
        end: at + 1,
        verb: "use".to_owned(),
        is_object: true,
        is_permit: false,
    })
}

/// A participle with the verb that it forbids: "it is forbidden to add X", "not allowed to call X", "prohibited from using X".
fn forbidden_to(clause: &[Word], at: usize) -> Option<Predicate> {
    let word = clause.get(at)?;
    let is_negated =
        at.checked_sub(1).and_then(|at| clause.get(at)).is_some_and(|word| word.is_in(tables::NEGATION));
    let is_ban = match is_negated {
        true => word.is_in(tables::PERMIT) || word.is_in(tables::USED),
        false => word.is_in(tables::BANNED),
    };
    let (link, verb) = (clause.get(at + 1)?, clause.get(at + 2)?);
    let verb = if link.is("to") && is_verb(verb) {
        stem(&verb.lower)
    } else if link.is("from") && verb.lower.ends_with("ing") && !verb.is_code {
        let stem = verb.lower.trim_end_matches("ing");
        let known = [stem.to_owned(), format!("{stem}e")];
        known.into_iter().find(|verb| tables::VERB.contains(verb)).unwrap_or_else(|| "use".to_owned())
    } else {
        return None;
    };
    let start = at - usize::from(is_negated);
    is_ban.then_some(Predicate { start, end: at + 3, verb, is_object: true, is_permit: false })
}

/// A word or phrase that forbids its subject: "X is banned", "X must go".
pub(super) fn banned(clause: &[Word], at: usize) -> Option<Predicate> {
    let tail = clause.get(at..)?;
    let phrase = tables::BANNED_PHRASE
        .iter()
        .filter(|phrase| starts_with_phrase(tail, phrase))
        .map(|phrase| phrase.split(' ').count())
        .max();
    let word = clause.get(at)?;
    let before = clause.get(..at)?;
    let is_single = word.is_in(tables::BANNED) || is_leaving(clause, at);
    let length = phrase.unwrap_or(usize::from(is_single));
    // "Out of scope" bans nothing.
    let is_out_of = phrase.is_none() && word.is("out") && tail.get(1).is_some_and(|next| next.is("of"));
    // "X was rejected as a ban", "the proposal to drop X was rejected"
    let is_kept = phrase.is_some_and(|_| tail.iter().take(3).any(|word| word.is_in(&["rejected", "denied"])))
        && clause.iter().any(|word| {
            word.is_in(&[
                "ban",
                "bans",
                "banning",
                "proposal",
                "proposals",
                "idea",
                "request",
                "motion",
                "keep",
            ])
        });
    // "Search is over Elasticsearch": a preposition, and no end.
    let is_preposition = phrase.is_some_and(|length| is_before_name(tail, length - 1));
    if is_kept || is_preposition || length == 0 || (at == 0 && phrase.is_none()) || is_out_of {
        return None;
    }
    let nearest = before.iter().rev().take(5);
    let has_aux = nearest.clone().any(|word| {
        word.is_in(tables::BE)
            || word.is_in(tables::AUXILIARY)
            || word.is_in(&["gets", "got", "stays", "stay", "remain", "remains", "goes"])
    });
    let is_last = at + length >= clause.len()
        || clause.get(at + length).is_some_and(|word| {
            word.is(",")
                || word.is_in(tables::PLACE_WORD)
                || word.is_in(tables::OUTSIDE)
                || word.is_in(tables::BOUNDARY)
                || word.is_in(&["elsewhere", "everywhere", "anywhere", "outright", "altogether", "entirely"])
        });
    if phrase.is_none() && !has_aux && !is_last {
        return None;
    }
    let is_negated = before.iter().rev().take(3).any(|word| word.is_in(tables::NEGATION));
    let mut start = at;
    while start > 0
        && clause.get(start - 1).is_some_and(|word| {
            word.is_in(tables::BE)
                || word.is_in(tables::AUXILIARY)
                || word.is_in(tables::NEGATION)
                || word.is_in(&[
                    "now",
                    "also",
                    "strictly",
                    "still",
                    "officially",
                    "therefore",
                    "completely",
                    "simply",
                    "already",
                    "both",
                    "permanently",
                    "hereby",
                    "stays",
                    "remains",
                    "not",
                    "all",
                    "just",
                ])
        })
    {
        start -= 1;
    }
    let needs_subject = clause.get(..start)?.iter().all(|word| word.is_in(tables::ADJECTIVE) || word.is(","));
    if needs_subject && phrase.is_none() && !has_aux {
        return None;
    }
    Some(Predicate {
        start,
        end: at + length,
        verb: word.lower.clone(),
        is_object: false,
        is_permit: is_negated,
    })
}

/// Whether the word at `at` is a preposition before a name: "search is over Elasticsearch", "payments are done with Stripe".
pub(super) fn is_before_name(words: &[Word], at: usize) -> bool {
    let is_link = words.get(at).is_some_and(|word| word.is_in(&["over", "past", "off", "out"]));
    let next = words.get(at + 1).map(std::slice::from_ref).unwrap_or_default();
    // "Mails go out through X"
    let is_way = next.iter().any(|word| word.is_in(&["through", "via"]));
    is_link && (is_way || names(next).iter().any(|name| name.is_code || !name.is_guess()))
}

/// Whether a verb at the end of a clause means that its subject is given up: "X goes", "X leaves".
fn is_leaving(clause: &[Word], at: usize) -> bool {
    const VERBS: &[&str] = &[
        "go",
        "goes",
        "leave",
        "leaves",
        "retires",
        "dies",
        "disappears",
        "departs",
        "vanishes",
        "exits",
        "loses",
    ];
    let is_verb = clause.get(at).is_some_and(|word| word.is_in(VERBS));
    let before = clause.get(..at).unwrap_or_default();
    let is_last =
        clause.get(at + 1).is_none_or(|next| next.is(",") || next.is_in(&["entirely", "completely", "now"]));
    is_verb
        && is_last
        && !before.iter().any(|word| word.is_in(tables::NEGATION) || word.is_in(tables::AUXILIARY))
}
