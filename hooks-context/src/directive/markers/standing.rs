//! Phrases that make an instruction a way of working, and words that forbid.

use super::{Sign, goes_on};
use crate::directive::sentence::Sentence;
use crate::directive::words::{OWN, PLACES_OF_WORK, RECURRING, RULE_NOUNS, TOLD, VERBS};

/// Returns the sign of the phrase at `at`, and its number of tokens.
pub(super) fn standing(sentence: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    let s = sentence;
    let one_of = |sign: Sign, phrases: &[&[&str]]| {
        let phrase = phrases.iter().find(|phrase| s.reads(at, phrase))?;
        Some((sign, phrase.len()))
    };
    let standing = |phrases: &[&[&str]]| one_of(Sign::Standing, phrases);
    match s.word(at) {
        "as" => as_a_rule(s, at).map(|len| (Sign::Standing, len)),
        "normally" | "usually" | "typically" => Some((Sign::Standing, 1)),
        "whatever" => standing(&[&["whatever", "happens"], &["whatever", "it", "takes"]]),
        "come" => standing(&[&["come", "what", "may"]]),
        "ideally" => Some((Sign::Ideally, 1)),
        "given" => one_of(Sign::Ideally, &[&["given", "the", "choice"], &["given", "a", "choice"]]),
        "per" => (s.is(at + 1, &["our", "team"]) && s.is(at + 2, RULE_NOUNS)).then_some((Sign::Standing, 3)),
        "by" => standing(&[&["by", "default"], &["by", "convention"], &["by", "policy"]]),
        "unless" | "until" | "till" => unless_otherwise(s, at).map(|len| (Sign::Standing, len)),
        "in" => standing(&[
            &["in", "general"],
            &["in", "principle"],
            &["in", "every", "case"],
            &["in", "each", "case"],
            &["in", "any", "case"],
            &["in", "all", "cases"],
        ])
        .or_else(|| one_of(Sign::NoWay, &[&["in", "no", "case"], &["in", "no", "event"]]))
        .or_else(|| next_sessions(s, at))
        .or_else(|| each(s, at))
        .or_else(|| place_of_work(s, at)),
        "for" => one_of(Sign::Informed, &[&["for", "next", "time"], &["for", "the", "next", "time"]])
            .or_else(|| next_sessions(s, at))
            .or_else(|| each(s, at))
            .or_else(|| place_of_work(s, at)),
        "within" | "on" => {
            standing(&[&["on", "principle"]]).or_else(|| each(s, at)).or_else(|| place_of_work(s, at))
        }
        "before" | "after" | "upon" | "with" | "at" => each(s, at),
        "throughout" | "across" => {
            let the = s.is(at + 1, &["this", "the", "our", "all"]);
            let is_place = s.is(at + 2, PLACES_OF_WORK) || s.is(at + 2, &["code", "board", "docs"]);
            (the && is_place).then_some((Sign::Standing, 3))
        }
        "all" => standing(&[&["all", "the", "time"]]),
        "consistently" | "invariably" | "routinely" | "habitually" => Some((Sign::Standing, 1)),
        "without" => standing(&[
            &["without", "fail"],
            &["without", "exception"],
            &["without", "exceptions"],
            &["without", "being", "asked"],
        ]),
        "when" => standing(&[
            &["when", "in", "doubt"],
            &["when", "unsure"],
            &["when", "you", "are", "unsure"],
            &["when", "you're", "unsure"],
        ]),
        "if" => {
            let otherwise =
                s.is(at + 1, &["not", "nobody", "nothing"]).then(|| unless_otherwise(s, at)).flatten();
            let otherwise = otherwise.map(|len| (Sign::Standing, len));
            otherwise
                .or_else(|| standing(&[&["if", "in", "doubt"]]))
                .or_else(|| if_possible(s, at).map(|len| (Sign::IfPossible, len)))
        }
        "where" | "wherever" => if_possible(s, at).map(|len| (Sign::Ideally, len)),
        "whenever" => if_possible(s, at).map_or(Some((Sign::EachTime, 1)), |len| Some((Sign::Ideally, len))),
        "everytime" | "anytime" => Some((Sign::EachTime, 1)),
        "every" | "each" | "any" => {
            let single = usize::from(s.is(at + 1, &["single"]));
            s.is(at + 1 + single, &["time"]).then_some((Sign::EachTime, 2 + single))
        }
        "avoid" | "eschew" | "shun" => Some((Sign::Avoid, 1)),
        "refrain" | "abstain" | "desist" => s.is(at + 1, &["from"]).then_some((Sign::Avoid, 2)),
        "steer" => one_of(Sign::Avoid, &[&["steer", "clear", "of"]]),
        "stay" => one_of(Sign::Avoid, &[&["stay", "away", "from"], &["stay", "clear", "of"]]),
        "keep" => one_of(Sign::Avoid, &[&["keep", "away", "from"]]).or_else(|| habit(s, at)),
        "get" => one_of(Sign::Habit, &[&["get", "used", "to"]]).or_else(|| habit(s, at)),
        "make" | "develop" | "stick" => habit(s, at),
        "only" => exclusive(s, at),
        "choose" | "pick" | "opt" | "like" => {
            let over = (at + 2..at + 9).any(|at| {
                s.is(at, &["over"]) || (s.is(at, &["rather", "better", "more"]) && s.is(at + 1, &["than"]))
            });
            over.then_some((Sign::Choose, 1))
        }
        "discontinue" => Some((Sign::Stop, 1)),
        "knock" | "lay" => s.is(at + 1, &["off"]).then_some((Sign::Drop, 2)),
        "cut" => (s.is(at + 1, &["out"]) && s.is(at + 2, &["the", "all", "with"])).then_some((Sign::Drop, 2)),
        "lean" => s.is(at + 1, &["towards", "toward", "to"]).then_some((Sign::Lean, 2)),
        "err" => one_of(Sign::Lean, &[&["err", "on", "the", "side", "of"]]),
        "better" => s.is(at + 1, &["use", "to", "take", "choose", "write"]).then_some((Sign::Better, 1)),
        "no-go" | "no-no" => Some((Sign::Taboo, 1)),
        "request" | "requests" if at > 0 && s.is(at - 1, &["pull", "merge"]) => obliged(s, at),
        "commits" | "prs" | "mrs" | "merges" | "branches" | "releases" | "deploys" | "deployments"
        | "migrations" | "hotfixes" | "pr" | "branch" | "merge" | "release" | "migration" | "deployment" => {
            obliged(s, at)
        }
        "banned" | "forbidden" | "prohibited" | "disallowed" | "taboo" | "verboten" | "off-limits" => {
            Some((Sign::Banned, 1))
        }
        "off" => s.is(at + 1, &["limits"]).then_some((Sign::Banned, 2)),
        "unacceptable" => Some((Sign::Banned, 1)),
        "not" => {
            if s.is(at + 1, &["allowed", "permitted", "acceptable", "tolerated"]) {
                return Some((Sign::Banned, 2));
            }
            let before = at.wrapping_sub(1);
            (at > 0 && s.is(before, &["must", "should", "shall", "may", "are", "you're"]))
                .then_some((Sign::NotTo, 1))
        }
        "mustn't" | "shouldn't" => Some((Sign::NotTo, 1)),
        "mandatory" | "compulsory" | "obligatory" | "required" => Some((Sign::Demanded, 1)),
        "no" => (!s.is(at + 1, &["no"])).then_some((Sign::None, 1)),
        "nothing" => Some((Sign::None, 1)),
        "onwards" | "onward" => Some((Sign::FromNowOn, 1)),
        "just" | "so" => one_of(Sign::Informed, &[&["just", "so", "you", "know"], &["so", "you", "know"]]),
        "fyi" => Some((Sign::Informed, 1)),
        "memorise" | "memorize" => Some((Sign::Remember, 1)),
        "commit" | "save" | "store" | "put" => {
            let held = s.is(at + 1, &["this", "that", "it"]);
            let memory = (held
                && s.is(at + 2, &["to", "in"])
                && (s.is(at + 3, &["memory"]) || s.is(at + 4, &["memory"])))
            .then_some((Sign::Remember, if s.is(at + 3, &["memory"]) { 4 } else { 5 }));
            let is_told = held && s.mark(at + 2) == Some(':') && !s.is(at, &["put", "commit"]);
            memory.or_else(|| is_told.then_some((Sign::Remember, 2))).or_else(|| obliged(s, at))
        }
        "take" => {
            let says = s.is(at + 2, &["that"]) || s.mark(at + 2) == Some(':');
            (s.is(at + 1, &["note"]) && says).then_some((Sign::Remember, 2))
        }
        word if RULE_NOUNS.contains(&word) => label(s, at),
        _ => None,
    }
}

/// "as a general rule", "as a matter of principle".
fn as_a_rule(s: &Sentence<'_>, at: usize) -> Option<usize> {
    let article = usize::from(s.is(at + 1, &["a", "an", "our", "my"]));
    let noun = at + 1 + article;
    if s.reads(noun, &["matter", "of"]) {
        return s
            .is(noun + 2, &["principle", "policy", "course", "habit", "routine"])
            .then_some(noun + 3 - at);
    }
    let described = usize::from(s.is(noun, OWN) || s.is(noun, &["standard", "good", "usual"]));
    let noun = noun + described;
    let is_rule = s.is(noun, RULE_NOUNS) || s.is(noun, &["habit", "default"]);
    let of_thumb = if s.reads(noun + 1, &["of", "thumb"]) { 2 } else { 0 };
    (is_rule && (article > 0 || described > 0)).then_some(noun + 1 + of_thumb - at)
}

/// "unless I ask otherwise", "unless instructed otherwise".
fn unless_otherwise(s: &Sentence<'_>, at: usize) -> Option<usize> {
    if let Some(end) = (at + 1..at + 7).find(|at| s.is(*at, &["otherwise", "differently"])) {
        return Some(end + 1 - at);
    }
    // "Unless I explicitly ask for it, …".
    let comma = (at + 2..at + 9).find(|at| s.mark(*at) == Some(','))?;
    let says = |at: usize| s.is(at, &["ask", "say", "tell", "approve", "request", "asked", "told", "allow"]);
    let is_word = s.is(at, &["unless"])
        && s.is(at + 1, &["i", "you're", "you", "explicitly", "asked", "told", "specifically"])
        && (at + 1..comma).any(says);
    is_word.then_some(comma - at)
}

/// "if at all possible", "wherever you can".
fn if_possible(s: &Sentence<'_>, at: usize) -> Option<usize> {
    const POSSIBLE: [&str; 5] = ["possible", "feasible", "practical", "practicable", "sensible"];
    let at_all = if s.reads(at + 1, &["at", "all"]) { 2 } else { 0 };
    let its = usize::from(s.is(at + 1, &["it's"]));
    if s.is(at + 1 + at_all + its, &POSSIBLE) {
        return Some(2 + at_all + its);
    }
    let can = s.is(at + 1, &["you", "we"]) && s.is(at + 2, &["can", "could"]);
    (can && !VERBS.contains(&s.word(at + 3))).then_some(3)
}

/// "in this repository", "for our project".
fn place_of_work(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    let ours = s.is(at + 1, &["this", "our"]);
    (ours && s.is(at + 2, PLACES_OF_WORK)).then_some((Sign::Place, 3))
}

/// "in the next sessions", "for all next tasks".
fn next_sessions(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    let the = usize::from(s.is(at + 1, &["the", "all", "your", "any"]));
    let next = s.is(at + 1 + the, &["next", "later", "coming", "following", "subsequent", "upcoming"]);
    let several =
        s.is(at + 2 + the, &["sessions", "tasks", "prs", "releases", "commits", "changes", "conversations"]);
    (next && several).then_some((Sign::FromNowOn, 3 + the))
}

/// "only use named exports", "use only English".
fn exclusive(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    const USING: [&str; 10] =
        ["use", "import", "commit", "merge", "deploy", "install", "write", "push", "log", "support"];
    let ever = usize::from(s.is(at + 1, &["ever"]));
    let behind = s.is(at.wrapping_sub(1), &USING);
    (behind || s.is(at + 1 + ever, &USING)).then_some((Sign::Only, 1 + ever))
}

/// "PR titles must", "commits should": a part of the work, and a verb that demands something of it.
fn obliged(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    let due = (at + 1..at + 3)
        .find(|at| s.is(*at, &["must", "should", "need", "needs", "shall", "has", "have"]))?;
    let has = s.is(due, &["has", "have"]) && !s.is(due + 1, &["to"]);
    (!has).then_some((Sign::Due, due + 1 - at))
}

/// "before every commit", "for each bug that you fix".
fn each(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    if !s.is(at + 1, &["every", "each", "any"]) {
        return None;
    }
    if s.is(at + 1, &["every", "each"]) && s.is(at + 2, &["new"]) && !s.word(at + 3).is_empty() {
        return Some((Sign::Each, 4));
    }
    if s.is(at + 1, &["every", "each"])
        && let Some(thing) = (at + 2..at + 5).find(|at| s.is(*at, RECURRING))
    {
        return Some((Sign::Each, thing + 1 - at));
    }
    let you = (at + 3..at + 6).find(|at| s.is(*at, &["you", "we"]))?;
    (s.is(at + 1, &["every", "each"]) && s.is(at, &["for", "with", "in", "on"]))
        .then_some((Sign::Each, you + 2 - at))
}

/// "make it a habit to", "get into the habit of".
fn habit(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    const HABITS: [&str; 8] = ["habit", "rule", "practice", "policy", "point", "routine", "custom", "ritual"];
    let noun = (at + 1..at + 7).find(|at| s.is(*at, &HABITS))?;
    let is_made = (at + 1..noun).all(|at| {
        s.is(
            at,
            &["it", "this", "a", "your", "the", "our", "into", "in", "to", "standard", "general", "daily"],
        )
    });
    let leads =
        s.is(noun + 1, &["to", "of", "that", "never", "always", "not"]) || s.mark(noun + 1) == Some(':');
    // "not" and similar words are part of the instruction.
    let leads_itself = s.is(noun + 1, &["not", "never", "always"]);
    if is_made && noun > at + 1 && leads_itself {
        return Some((Sign::Habit, noun + 1 - at));
    }
    (is_made && noun > at + 1 && leads).then_some((Sign::Habit, noun + 2 - at))
}

/// "rule:", "convention for tests:", "our policy is that"; everything before the content of the rule.
fn label(s: &Sentence<'_>, at: usize) -> Option<(Sign, usize)> {
    if s.is(at + 1, &["is", "are"]) {
        let is_leading = s.is(at + 2, &["to", "that", "simple"]) || s.mark(at + 2) == Some(':');
        let simple = usize::from(s.is(at + 2, &["simple"]) && s.mark(at + 3).is_some());
        return is_leading.then_some((Sign::Rule, 3 + simple));
    }
    if s.is(at + 1, &["that"]) {
        return Some((Sign::Rule, 2));
    }
    let ends = (at + 1..at + 8).find(|at| s.mark(*at).is_some())?;
    // "New rule for you, Kane: …".
    // "New convention, agreed on Thursday: …".
    let colon = (ends + 1..ends + 7).find(|at| s.mark(*at).is_some()).filter(|at| s.mark(*at) == Some(':'));
    let ends = colon.filter(|_| s.mark(ends) == Some(',')).unwrap_or(ends);
    let is_label = matches!(s.mark(ends), Some(':' | '—' | '–' | '-'));
    let is_plain = !(at + 1..ends).any(|at| goes_on(s, at) && !s.is(at, TOLD));
    (is_label && is_plain).then_some((Sign::Rule, ends + 1 - at))
}
