//! Replacements: "use Y instead of X", "X -> Y", "we picked Y over X".

use super::super::names::{is_file, names};
use super::super::scope::scope;
use super::super::tables;
use super::super::words::Word;
use super::condition::is_needed;
use super::phrases::plain;
use super::predicate::predicate;
use super::{Ban, Context};

/// Returns the ban of a replacement, and the words behind it.
pub(super) fn replacement(clause: &[Word], context: &Context) -> Option<(Ban, Option<Vec<Word>>)> {
    let position = |wanted: &[&str]| {
        // "Ask Ada whether X took over from Y" states no exchange.
        let stated = clause.iter().position(|word| word.is("whether")).unwrap_or(clause.len());
        (0..stated).find(|at| {
            wanted
                .iter()
                .enumerate()
                .all(|(offset, word)| clause.get(at + offset).is_some_and(|given| given.is(word)))
        })
    };
    let part = |from: usize, to: usize| clause.get(from..to).unwrap_or_default().to_vec();
    let ban = |old: Vec<Word>, new: Vec<Word>| {
        let (old_places, old_words) = scope(&old);
        let (new_places, new_words) = scope(&new);
        let mut places = old_places;
        // "Use the wrapper in `src/http.ts` instead of X": a file is where the replacement is.
        let is_file = |glob: &String| !glob.contains('*') && is_file(glob.rsplit('/').next().unwrap_or(glob));
        if !new_places.within.iter().all(is_file) {
            places.within.extend(new_places.within);
        }
        places.except.extend(new_places.except);
        let mut old = names(&old_words);
        // "Be explicit rather than clever" names no library.
        let is_choice = clause.iter().any(|word| word.is_in(tables::CHOOSE) || word.is("->"))
            || names(&new_words).iter().any(|name| !name.is_guess());
        if !is_choice {
            old.retain(|name| !name.is_guess());
        }
        (!old.is_empty()).then(|| Ban {
            names: old,
            scope: places,
            verb: "use".to_owned(),
            instead: plain(&new_words),
            is_existing: false,
        })
    };
    let end_of = |from: usize| {
        clause
            .iter()
            .enumerate()
            .skip(from)
            .find(|(_, word)| word.is(",") || word.is("because") || word.is("since"))
            .map_or(clause.len(), |(at, _)| at)
    };
    if let Some((old, new)) = weighed(clause) {
        return ban(old, new).map(|ban| (ban, None));
    }
    // "X -> Y"
    if let Some(at) = position(&["->"]) {
        let label = clause.iter().take(at).position(|word| word.is(":")).map_or(0, |colon| colon + 1);
        return ban(part(label, at), part(at + 1, clause.len())).map(|ban| (ban, None));
    }
    let is_negative = |from: usize| clause.iter().take(from).any(|word| word.is_in(tables::NEGATION));
    for phrase in [
        &["replaced", "by"][..],
        &["replaced", "with"],
        &["superseded", "by"],
        &["in", "favour", "of"],
        &["in", "favor", "of"],
        &["swapped", "for"],
        &["swapped", "out", "for"],
        &["traded", "for"],
        &["given", "way", "to"],
        &["gave", "way", "to"],
        &["made", "way", "for"],
        &["taken", "over", "by"],
        &["replaced", "in", "favour", "of"],
        &["exchanged", "for"],
        &["makes", "way", "for"],
        &["gives", "way", "to"],
        &["deprecated", "for"],
        &["loses", "to"],
        &["lost", "to"],
        &["lost", "against"],
        &["migrated", "to"],
        &["moved", "to"],
        &["ported", "to"],
        &["switched", "to"],
    ] {
        if let Some(at) = position(phrase).filter(|at| !is_negative(*at) && *at > 0) {
            let mut start = at;
            while start > 0
                && clause.get(start - 1).is_some_and(|word| {
                    word.is_in(tables::BE)
                        || word.is_in(tables::AUXILIARY)
                        || word.is_in(tables::BANNED)
                        || word.is("been")
                })
            {
                start -= 1;
            }
            if clause.get(..start)?.first().is_some_and(|word| word.is("we"))
                && phrase.len() == 2
                && phrase.last() == Some(&"to")
            {
                continue;
            }
            let end = end_of(at + phrase.len());
            let found = ban(part(0, start), part(at + phrase.len(), end))?;
            return Some((found, clause.get(end + 1..).map(<[Word]>::to_vec)));
        }
    }
    // "replace X by Y", "migrate from X to Y"
    for (verb, links) in [
        ("replace", &["by", "with"][..]),
        ("replaced", &["by", "with"]),
        ("swap", &["for"]),
        ("migrate", &["to"]),
        ("move", &["to"]),
        ("moved", &["to"]),
        ("moving", &["to"]),
        ("switch", &["to"]),
        ("switched", &["to"]),
        ("migrated", &["to"]),
        ("migrating", &["to"]),
        ("switching", &["to"]),
        ("exchange", &["for"]),
        ("port", &["to"]),
    ] {
        let Some(at) = position(&[verb]).filter(|at| *at <= 4 && !is_negative(*at)) else { continue };
        let from = clause.get(at + 1).is_some_and(|word| word.is("from") || word.is("off"));
        if !from && !["replace", "replaced", "swap", "exchange"].contains(&verb) {
            continue;
        }
        // "Y has replaced X" and "X is replaced by Y" have another order.
        let is_active =
            clause.iter().take(at).all(|word| word.is_in(tables::ACTOR) || word.is_in(tables::AUXILIARY));
        if verb == "replaced" && !is_active {
            continue;
        }
        let from = at + 1 + usize::from(from);
        let link = (from..clause.len()).find(|at| clause.get(*at).is_some_and(|word| word.is_in(links)));
        let link = link?;
        return ban(part(from, link), part(link + 1, end_of(link + 1))).map(|found| (found, None));
    }
    // "Y replaces X"
    // "Y has replaced X", but not "X is replaced by Y"
    let is_acting = |verb: &str, at: usize| {
        verb != "replaced"
            || !clause.iter().take(at).any(|word| word.is_in(tables::BE))
                && !clause.get(at + 1).is_some_and(|word| word.is_in(&["by", "with", "in", ","]))
    };
    for verb in [
        "replaces",
        "replaced",
        "supersedes",
        "supplants",
        "succeeds",
        "beats",
        "displaces",
        "trumps",
        "ousts",
    ] {
        // "Nothing beats Y"
        if let Some(at) = position(&[verb]).filter(|at| *at > 0 && is_acting(verb, *at) && !is_negative(*at))
        {
            let end = end_of(at + 1);
            let behind = part(at + 1, end);
            let old = if names(&behind).is_empty() && behind.iter().any(|word| word.is_in(tables::PRONOUN)) {
                None
            } else {
                Some(behind)
            };
            let comma = (0..at).rfind(|at| clause.get(*at).is_some_and(|word| word.is(",")));
            if let (None, Some(comma)) = (&old, comma) {
                let before = part(0, comma);
                let subject = predicate(&before).map_or(before.len(), |found| found.start);
                let named = names(before.get(..subject).unwrap_or_default());
                if !named.is_empty() {
                    let instead = plain(&part(comma + 1, at));
                    let found = Ban { names: named, verb: "use".to_owned(), instead, ..Ban::default() };
                    return Some((found, None));
                }
            }
            let new = part(0, at);
            return match old {
                Some(old) => ban(old, new).map(|found| (found, None)),
                None => {
                    let found = Ban {
                        names: context.last.clone(),
                        verb: "use".to_owned(),
                        instead: plain(&new),
                        ..Ban::default()
                    };
                    (!found.names.is_empty()).then_some((found, None))
                }
            };
        }
    }
    if let Some(at) = position(&["takes", "over", "from"]).or_else(|| position(&["took", "over", "from"])) {
        return ban(part(at + 3, end_of(at + 3)), part(0, at)).map(|found| (found, None));
    }
    // "Instead of X, use Y"
    if let Some(at) = position(&["instead", "of"])
        .or_else(|| position(&["rather", "than"]))
        .or_else(|| position(&["in", "place", "of"]).map(|at| at + 1))
    {
        let end = clause
            .iter()
            .enumerate()
            .skip(at + 2)
            .find(|(_, word)| {
                word.is(":")
                    || word.is_in(&["because", "since", "when"])
                    || (at == 0 && (word.is(",") || word.is("write") || word.is_in(tables::CHOOSE)))
            })
            .map_or(clause.len(), |(at, _)| at);
        let new = if at == 0 { part(end, clause.len()) } else { part(0, at) };
        let new: Vec<Word> = new.into_iter().filter(|word| !word.is_in(tables::CHOOSE)).collect();
        let is_negated = new.first().is_some_and(|word| word.is_in(tables::NEGATION));
        if is_negated {
            return None;
        }
        return ban(part(at + 2, end), new).map(|found| (found, None));
    }
    // "we picked Y over X"
    if let Some(at) = position(&["over"]) {
        let choose = clause
            .iter()
            .take(at)
            .position(|word| word.is_in(tables::CHOOSE) || word.is_in(&["won", "wins", "won"]));
        if let Some(choose) = choose.filter(|choose| !is_negative(*choose)) {
            let won = clause.get(choose).is_some_and(|word| word.is("won") || word.is("wins"));
            let new = if won { part(0, choose) } else { part(choose + 1, at) };
            let end = end_of_names(clause, at + 1);
            return ban(part(at + 1, end), new).map(|found| {
                (found, clause.get(end + 1..).filter(|rest| !rest.is_empty()).map(<[Word]>::to_vec))
            });
        }
    }
    // "Y over X"
    if let Some(at) = position(&["over"]).or_else(|| position(&[">"])).filter(|at| *at > 0 && end_of(0) <= 6)
    {
        let is_named = |word: &Word| {
            !names(std::slice::from_ref(word)).is_empty()
                || word.is_in(tables::ADJECTIVE)
                || word.is_in(&[",", "and", "or"])
        };
        let list = part(at + 1, end_of_names(clause, at + 1));
        let behind = if list.iter().all(is_named) { list } else { part(at + 1, end_of(0).max(at + 1)) };
        let before = part(0, at);
        // "JSON over HTTP" is how it is sent.
        if behind.iter().any(|word| word.is_in(tables::PROTOCOL)) {
            return None;
        }
        if before.iter().all(is_named) && behind.iter().all(is_named) && !names(&before).is_empty() {
            return ban(behind, before).map(|found| (found, None));
        }
    }
    // "prefer Y to X"
    if let (Some(prefer), Some(to)) =
        (position(&["prefer"]).filter(|at| !is_negative(*at)), position(&["to"]))
        && to > prefer + 1
        && !names(&part(prefer + 1, to)).is_empty()
    {
        let end = end_of_names(clause, to + 1);
        return ban(part(to + 1, end), part(prefer + 1, to)).map(|found| (found, None));
    }
    // "use Y, not X"; "Y, not X"
    if let Some(comma) =
        position(&[",", "not"]).or_else(|| position(&[",", "never"])).or_else(|| position(&["and", "not"]))
    {
        let behind = part(comma + 2, clause.len());
        let is_sentence = behind.iter().take(2).any(|word| {
            word.is_in(tables::VERB)
                || word.is_in(tables::USED)
                || word.is_in(tables::PLACE_WORD)
                || word.is_in(tables::BE)
        });
        let before = part(0, comma);
        if !is_sentence && !behind.is_empty() && predicate(&before).is_none() {
            let new: Vec<Word> = before
                .into_iter()
                .filter(|word| !word.is_in(tables::CHOOSE) && !word.is_in(tables::ACTOR))
                .collect();
            if behind.len() <= 8
                && (!names(&new).is_empty()
                    || clause.iter().take(comma).any(|word| word.is_in(tables::CHOOSE)))
            {
                return ban(behind, new).map(|found| (found, None));
            }
        }
    }
    None
}

/// Returns what a choice is against and what it is for, as in a Y-statement: "we decided for Y and against X, to get …".
fn weighed(clause: &[Word]) -> Option<(Vec<Word>, Vec<Word>)> {
    const CHOICES: &[&str] = &[
        "decided", "decide", "voted", "opted", "settled", "spoke", "ruled", "came", "went", "decision",
        "vote", "choice",
    ];
    const REFUSALS: &[&str] = &["neglected", "discarded", "dismissed"];
    let at = clause.iter().position(|word| word.is("against") || word.is_in(REFUSALS))?;
    let (before, behind) = (clause.get(..at)?, clause.get(at + 1..)?);
    if is_needed(clause) {
        return None;
    }
    let choice = before.iter().position(|word| word.is_in(CHOICES) || word.is_in(tables::CHOOSE))?;
    if before.iter().any(|word| word.is_in(tables::NEGATION)) {
        return None;
    }
    let is_end = |at: usize| {
        let is_aim = behind.get(at + 1).is_none_or(|next| {
            next.is_in(&[
                "to",
                "accepting",
                "so",
                "because",
                "since",
                "in",
                "we",
                "which",
                "as",
                "even",
                "although",
            ]) || next.is_in(tables::OUTSIDE)
        });
        behind.get(at).is_some_and(|word| {
            word.is(",") && is_aim || word.is_in(&["because", "since", "to", "accepting"])
        })
    };
    let chosen = chosen_behind(behind);
    let end = (0..behind.len()).find(|at| is_end(*at) || chosen == Some(*at)).unwrap_or(behind.len());
    let (old, rest) = behind.split_at_checked(end)?;
    let mut old: Vec<Word> = old.to_vec();
    // "…, except in `cmd/`, which has forty of them"
    let places = rest.iter().position(|word| word.is_in(tables::OUTSIDE)).and_then(|at| rest.get(at..));
    old.extend(places.unwrap_or_default().iter().take(12).cloned());
    let own: Vec<Word> = before
        .get(choice + 1..)?
        .iter()
        .filter(|word| !word.is_in(&["for", "and", "but", "on"]))
        .cloned()
        .collect();
    let own = match chosen.filter(|at| *at == end && names(&own).is_empty()) {
        Some(at) => behind.get(at + 2..).unwrap_or_default().to_vec(),
        None => own,
    };
    (!names(&old).is_empty()).then_some((old, own))
}

/// Returns the position behind which the chosen thing follows: "against X and for Y".
fn chosen_behind(behind: &[Word]) -> Option<usize> {
    (0..behind.len()).find(|at| {
        let is_for = behind.get(at + 1).is_some_and(|next| next.is_in(&["for", "pro"]));
        let named = names(behind.get(at + 2..).unwrap_or_default());
        let is_link = behind.get(*at).is_some_and(|word| word.is_in(&["and", "but", ","]));
        is_link && is_for && named.first().is_some_and(|name| !name.is_guess())
    })
}

/// Returns the end of a list of names.
pub(super) fn end_of_names(clause: &[Word], from: usize) -> usize {
    let is_end = |(at, word): &(usize, &Word)| {
        let next = clause.get(at + 1);
        word.is(",")
            && next.is_none_or(|next| {
                next.is_in(tables::ACTOR) || next.is_in(&["because", "so", "which", "since", "the"])
            })
            || word.is("because")
            || word.is("last")
            || word.is("for") && next.is_none_or(|next| next.is("its"))
    };
    clause.iter().enumerate().skip(from).find(is_end).map_or(clause.len(), |(at, _)| at)
}
