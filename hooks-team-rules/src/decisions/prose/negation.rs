//! Negations with a verb: "never use X", "X must not be used", "no new X".

use super::super::scope;
use super::super::tables;
use super::super::words::Word;
use super::predicate::Predicate;

/// A negation with a verb: "never use X", "X must not be used", "no new X", "X is not allowed".
pub(super) fn negated(clause: &[Word], at: usize) -> Option<Predicate> {
    let word = clause.get(at)?;
    let is_none = word.is("none") && clause.get(at + 1).is_some_and(|next| next.is("of"));
    if !word.is_in(tables::NEGATION) && !is_none {
        return None;
    }
    let before = clause.get(..at)?;
    let next = clause.get(at + 1);
    // "No, lodash stays."
    if word.is("no") && next.is_some_and(|next| next.is(",")) {
        return None;
    }
    let subject_start = |mut start: usize| {
        while start > 0
            && clause.get(start - 1).is_some_and(|word| {
                word.is_in(tables::BE)
                    || word.is_in(tables::AUXILIARY)
                    || word.is_in(&["simply", "also", "therefore", "still", "just"])
            })
        {
            start -= 1;
        }
        start
    };
    let object = |end: usize, verb: &str| {
        Some(Predicate { start: at, end, verb: verb.to_owned(), is_object: true, is_permit: false })
    };
    let subject = |start: usize, end: usize, verb: &str| {
        Some(Predicate {
            start: subject_start(start),
            end,
            verb: verb.to_owned(),
            is_object: false,
            is_permit: false,
        })
    };
    if is_none {
        // "None of X and Y may be used."
        return object(at + 2, "use");
    }
    if let Some([going, to, verb]) = clause.get(at + 1..at + 4)
        && going.is_in(&["going", "about", "planning"])
        && to.is("to")
        && is_verb(verb)
    {
        return object(at + 4, &stem(&verb.lower));
    }
    if word.is("never")
        && next.is_some_and(|next| next.is_in(&["may", "must", "should", "shall", "can", "will"]))
    {
        // "Never may X be imported."
        let is_inverted = clause.iter().skip(at + 2).any(|word| word.is("be"));
        if is_inverted {
            return object(at + 2, "use");
        }
    }
    if word.is("nobody") || (word.is("no") && next.is_some_and(|next| next.is("one"))) {
        let reach = (at + 1..clause.len().min(at + 6)).find(|at| {
            clause.get(*at).is_some_and(|word| word.is_in(&["reach", "reaches"]))
                && clause.get(at + 1).is_some_and(|next| next.is("for"))
        });
        if let Some(reach) = reach {
            return object(reach + 2, "use");
        }
        let is_any = |word: &Word| is_verb(word) || is_gerund(word);
        let verb = clause.iter().skip(at + 1).position(is_any).map(|offset| at + 1 + offset)?;
        if clause.get(verb).is_some_and(is_gerund) {
            // "No one should be reaching for X."
            let has_link = clause.get(verb + 1).is_some_and(|next| next.is_in(&["for", "in", "on"]));
            return object(verb + 1 + usize::from(has_link), "use");
        }
        let (end, verb) = joined_verbs(clause, verb);
        return object(end, &verb);
    }
    if word.is("no") && next.is_none_or(|next| next.is("longer") || next.is("more")) || word.is("longer") {
        let behind = clause.get(at + 1..)?;
        let ban = behind.iter().take(3).position(|word| word.is_in(tables::BANNED));
        if let Some(offset) = ban.filter(|_| !before.is_empty()) {
            // "X is no longer banned"
            let (start, end) = (subject_start(at), at + 2 + offset);
            return Some(Predicate { start, end, verb: "use".to_owned(), is_object: false, is_permit: true });
        }
        let verb = behind.iter().position(|word| word.is_in(tables::USED)).map(|offset| at + 1 + offset);
        let is_active = before.iter().all(|word| {
            word.is_in(tables::ACTOR)
                || word.is_in(tables::ORDER_START)
                || word.is_in(&["from", "on", "as", "since", "tomorrow", ","])
        });
        // "We no longer send mail with X."
        if is_active
            && !before.is_empty()
            && behind.get(1).is_some_and(is_plain_verb)
            && active_verb(behind).is_none()
        {
            return object(at + 3, UNKNOWN_VERB);
        }
        // Without a subject, the verb is the next word: "no longer use X", but "no more X, use Y".
        let verbs = if before.is_empty() { 2 } else { behind.len() };
        let active = behind.iter().take(verbs).position(is_verb).map(|offset| at + 1 + offset);
        if is_active && let Some(verb) = active {
            return object(verb + 1, &stem(&clause.get(verb)?.lower));
        }
        if is_active && next.is_some_and(|next| next.is("more")) {
            return object(at + 2, "use");
        }
        let end = verb.unwrap_or(at + 1);
        let verb = clause.get(end).map(|word| word.lower.clone()).unwrap_or_default();
        return (!before.is_empty()).then(|| subject(at, end + 1, &verb)).flatten();
    }
    let is_order = word.is("never")
        || word.is("don't")
        || (word.is("not")
            && before
                .last()
                .is_some_and(|word| word.is_in(&["do", "must", "should", "shall", "may", "let's", "us"])));
    if is_order && next.is_some_and(|next| next.is_code) {
        return object(at + 1, "use");
    }
    let is_action = |next: &Word| !next.is_in(tables::VERB) && tables::concept(&next.lower).is_some();
    let is_phrase = |length: usize| {
        let words = clause.get(at + 1..at + 1 + length).unwrap_or_default();
        let phrase = words.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ");
        !words.iter().any(|word| word.is_code)
            && tables::concept(&phrase).is_some_and(|known| known.patterns.starts_with("CMD"))
    };
    if is_order && (next.is_some_and(is_action) || (2..=3).any(is_phrase)) {
        // "Never force-push."
        return object(at + 1, "use");
    }
    if word.is("neither") || word.is("no") || word.is("nothing") {
        let behind = clause.get(at + 1..)?;
        // "React, and nothing but React"
        if behind.is_empty()
            || word.is("nothing")
                && next.is_some_and(|next| {
                    next.is_in(&[
                        "but", "except", "else", "speaks", "stops", "prevents", "forbids", "against", "wrong",
                    ])
                })
        {
            return None;
        }
        // "Neither must X."
        if word.is("neither")
            && next.is_some_and(|next| next.is_in(tables::AUXILIARY) || next.is_in(tables::BE))
        {
            return object(at + 2, "use");
        }
        if next.is_some_and(|next| next.is_in(&["ban", "bans", "prohibition", "restriction"])) {
            return None;
        }
        if next.is_some_and(|next| next.is_in(&["changes", "edits", "modifications", "writes"])) {
            return object(at + 2, "change");
        }
        if word.is("neither") && !before.is_empty() && behind.iter().all(|word| !word.is("nor")) {
            return None;
        }
        // "No agent may touch X"
        let is_actor = |word: &Word| word.is_in(tables::ACTOR) || word.is_in(tables::ADJECTIVE);
        let aux = behind.iter().position(|word| word.is_in(tables::AUXILIARY)).filter(|at| *at > 0);
        if let Some(aux) = aux.filter(|aux| behind.iter().take(*aux).all(is_actor))
            && let Some(verb) = behind.get(aux + 1).filter(|word| is_verb(word))
        {
            return object(at + aux + 3, &stem(&verb.lower));
        }
        // "Nothing in `src/` may import X"
        if let Some(aux) = aux
            && behind.first().is_some_and(|word| word.is_in(tables::PLACE_WORD))
            && let Some(verb) = behind.get(aux + 1).filter(|word| is_verb(word))
        {
            let (start, end, verb) = (at + 1 + aux, at + aux + 3, stem(&verb.lower));
            return Some(Predicate { start, end, verb, is_object: true, is_permit: false });
        }
        // "No X may be used" ends before the verb.
        let aux = behind.iter().position(|word| {
            word.is_in(tables::BE) || word.is_in(tables::AUXILIARY) || word.is("may") || word.is("must")
        });
        let verb = aux
            .and_then(|aux| {
                behind.get(aux..)?.iter().find(|word| word.is_in(tables::USED) || word.is_in(tables::VERB))
            })
            .map_or("use".to_owned(), |word| word.lower.clone());
        return object(at + 1, &verb);
    }
    let behind = clause.get(at + 1..)?;
    let mut end = at + 1;
    let mut is_passive =
        before.iter().rev().take(3).take_while(|word| !word.is(",")).any(|word| word.is_in(tables::BE))
            || word.lower.starts_with("isn")
            || word.lower.starts_with("aren")
            || word.lower.starts_with("wasn")
            || word.lower.starts_with("weren");
    for word in behind.iter().take(7) {
        end += 1;
        if word.is_in(&["be", "been", "being"]) {
            is_passive = true;
        } else if is_passive
            && word.is_in(tables::BANNED)
            && !word.is_in(tables::USED)
            && !word.is_in(tables::FILE_VERB)
        {
            return Some(Predicate {
                start: subject_start(at),
                end,
                verb: word.lower.clone(),
                is_object: false,
                is_permit: true,
            });
        } else if word.is("reach") && clause.get(end).is_some_and(|next| next.is("for")) {
            return object(end + 1, "use");
        } else if (word.is_in(tables::STAY_AWAY)
            && !(word.is("go") && is_passive)
            && !is_particle(clause, end))
            || (is_passive
                && (word.is_in(tables::USED)
                    || word.lower.ends_with("ed") && !word.is_code && word.lower.len() > 4))
        {
            let is_known = word.is_in(tables::USED) || word.is_in(tables::STAY_AWAY);
            // "X must not be mixed in"
            let is_in = clause.get(end).is_some_and(|next| next.is("in"))
                && scope::place(clause.get(end + 1..).unwrap_or_default(), true).is_none();
            if is_known && is_brought_in(clause, end) {
                // "X must not be run or installed"
                return subject(at, end + 2, "use");
            }
            let verb = match (is_known, is_in) {
                (true, _) => word.lower.clone(),
                (false, true) => "used".to_owned(),
                (false, false) => passive_verb(&word.lower),
            };
            return subject(at, end, &verb);
        } else if !is_passive && is_verb(word) {
            let (end, verb) = joined_verbs(clause, end - 1);
            let is_ground =
                clause.get(end).is_some_and(|next| next.is_in(&["on", "upon", "with", "against"]));
            if verb == "build" && is_ground {
                return object(end + 1, "use");
            }
            return object(end, &verb);
        } else if !is_passive && word.is_in(tables::USED) {
            // "X: not allowed", "X never used", "X not needed"
            return subject(at, end, &word.lower);
        } else if is_order
            && !is_passive
            && is_plain_verb(word)
            && end == at + 2
            && before.iter().all(|word| word.is_in(tables::ACTOR) || word.is_in(tables::AUXILIARY))
        {
            return object(end, UNKNOWN_VERB);
        } else if word.is_code
            || (!word.is_in(tables::AUXILIARY)
                && !word.is_in(tables::ADJECTIVE)
                && !word.is_in(&[
                    "ever",
                    "longer",
                    "anymore",
                    "henceforth",
                    "simply",
                    "just",
                    "directly",
                    "even",
                    "manually",
                    "going",
                    "to",
                    "acceptable",
                    "again",
                    "yet",
                    "really",
                    "actually",
                    "in",
                    "you",
                    "we",
                    "an",
                ]))
        {
            break;
        } else if word.is("in") {
            let is_place = behind.iter().skip(end - at - 1).take(3).any(|word| {
                word.is_in(&[
                    "code",
                    "codebase",
                    "repo",
                    "repository",
                    "stack",
                    "base",
                    "use",
                    "project",
                    "tree",
                    "graph",
                    "bundle",
                    "build",
                    "product",
                    "dependencies",
                    "manifest",
                    "manifests",
                    "lockfile",
                    "image",
                    "images",
                ])
            });
            if is_place {
                return subject(at, end + 3, "used");
            }
            let behind_it = clause.get(end..).unwrap_or_default();
            if is_passive && scope::place(behind_it, true).is_some() {
                // "X must not be in migrations"
                return subject(at, end - 1, "used");
            }
        }
    }
    None
}

/// Returns the first word that is a known verb.
fn active_verb(words: &[Word]) -> Option<usize> {
    words.iter().position(is_verb)
}

/// Verb of an order that no table lists.
pub(super) const UNKNOWN_VERB: &str = "do something with";

/// Whether a participle follows that is about all uses of a thing: "run or installed".
fn is_brought_in(clause: &[Word], at: usize) -> bool {
    let is_link = clause.get(at).is_some_and(|word| word.is_in(&["or", "nor", "and"]));
    is_link
        && clause.get(at + 1).is_some_and(|word| word.is_in(&["installed", "added", "used", "introduced"]))
}

/// Whether a particle behind a verb gives it another sense: "must never go down".
fn is_particle(clause: &[Word], at: usize) -> bool {
    clause
        .get(at)
        .is_some_and(|word| word.is_in(&["down", "wrong", "through", "past", "stale", "offline", "up"]))
}

/// Returns the verb of a participle that no table lists: "exposed".
fn passive_verb(participle: &str) -> String {
    if tables::FILE_VERB.contains(participle) {
        return participle.to_owned();
    }
    let stem = participle.strip_suffix("ed").unwrap_or(participle);
    let short = stem.chars().next_back().and_then(|last| stem.strip_suffix(last)).unwrap_or_default();
    let forms = [format!("{stem}e"), stem.to_owned(), short.to_owned()];
    let known = forms.into_iter().find(|form| tables::VERB.contains(form));
    known.unwrap_or_else(|| UNKNOWN_VERB.to_owned())
}

/// Whether a word may be the verb of an order: "never frobnicate `x`".
pub(super) fn is_plain_verb(word: &Word) -> bool {
    let lists =
        [tables::ADJECTIVE, tables::AUXILIARY, tables::BE, tables::ENGLISH, tables::PRONOUN, tables::USED];
    !word.is_code
        && word.lower.len() > 2
        && word.lower.chars().all(|c| c.is_alphabetic() || c == '-')
        && !word.lower.ends_with("ly")
        && tables::technology(&word.lower).is_none()
        && !lists.iter().any(|list| list.contains(&word.lower))
}

/// Whether a word is the form of a verb as in "no one is using X".
fn is_gerund(word: &Word) -> bool {
    infinitive(word).is_some()
}

/// Returns the verb of which a word is the form as in "using X".
pub(super) fn infinitive(word: &Word) -> Option<String> {
    let stem = word.lower.strip_suffix("ing").filter(|_| !word.is_code)?;
    let short = stem.chars().next_back().and_then(|last| stem.strip_suffix(last)).unwrap_or_default();
    let forms = [stem.to_owned(), format!("{stem}e"), short.to_owned()];
    forms.into_iter().find(|form| tables::VERB.contains(form) || form == "reach")
}

pub(super) fn is_verb(word: &Word) -> bool {
    !word.is_code && (tables::VERB.contains(&word.lower) || third_person(&word.lower))
}

/// Returns the end of the verbs from `at` on, as in "add or change", and the most specific of them: a verb about
/// existing files, or the first.
fn joined_verbs(clause: &[Word], at: usize) -> (usize, String) {
    let verb = |at: usize| clause.get(at).filter(|word| is_verb(word)).map(|word| stem(&word.lower));
    let mut best = clause.get(at).map(|word| stem(&word.lower)).unwrap_or_default();
    let mut end = at + 1;
    while clause.get(end).is_some_and(|word| word.is_in(&["or", "and", "nor", ",", "/"])) {
        let next =
            if clause.get(end + 1).is_some_and(|word| word.is_in(&["or", "and", "nor"])) { 2 } else { 1 };
        let Some(own) = verb(end + next) else { break };
        if !tables::FILE_VERB.contains(&best) && tables::FILE_VERB.contains(&own) {
            best = own;
        }
        end += next + 1;
    }
    (end, best)
}

fn third_person(word: &str) -> bool {
    word.strip_suffix('s').is_some_and(|stem| {
        tables::VERB.contains(stem) || stem.strip_suffix('e').is_some_and(|stem| tables::VERB.contains(stem))
    })
}

pub(super) fn stem(verb: &str) -> String {
    if tables::VERB.contains(verb) {
        return verb.to_owned();
    }
    let stem = verb.strip_suffix('s').unwrap_or(verb);
    stem.strip_suffix('e').filter(|short| tables::VERB.contains(short)).unwrap_or(stem).to_owned()
}
