//! Short verdicts about what was named before: "X: no", "X? Never.", "X — hell no".

use super::super::names::{Name, names};
use super::super::scope::{Scope, scope};
use super::super::tables;
use super::super::words::{Word, words};
use super::phrases::has_phrase;
use super::{Context, Reading};

/// Words that only stress the verdict behind them.
const EMPHASIS: &[&str] = &[
    "hell",
    "absolutely",
    "definitely",
    "sorry",
    "clearly",
    "simply",
    "just",
    "also",
    "strictly",
    "still",
    "heck",
    "god",
    "please",
    "a",
    "clear",
    "hard",
    "firm",
    "big",
    "then",
    "well",
    "certainly",
    "both",
    "all",
    "most",
];
/// Signs that refuse what follows.
const MARKS: &[&str] = &["❌", "🚫", "✗", "✘", "⛔", "👎", "🔴"];
/// Words that refuse alone.
const NO: &[&str] = &[
    "no", "out", "gone", "nope", "nah", "never", "none", "hold", "neither", "don't", "❌", "🚫", "✗", "✘",
    "⛔", "👎",
];
/// Words behind a negation that is a verdict.
const BEHIND_NOT: &[&str] = &[
    "for", "in", "at", "here", "anymore", "ever", "again", "on", "with", "ok", "inside", "under", "below",
    "within", "now", "any", "anywhere", "okay", "from", "into", "across",
];
/// Words that may follow a verdict.
const BEHIND: &[&str] = &[
    ",", "ever", "with", "save", "because", "since", "as", "->", "use", "instead", "thanks", "way", "go",
    "anymore",
];
/// Words that make a question one for leave to use something.
const LEAVE: &[&str] =
    &["can", "may", "could", "should", "shall", "allowed", "ok", "okay", "permitted", "fine", "acceptable"];
/// Questions behind a statement that only ask for assent.
const TAGS: &[&str] = &["ok", "okay", "right", "yes", "agreed", "correct", "deal", "yeah", "no"];

/// Returns the length of the verdict that `words` begin with, if they refuse something.
pub(super) fn verdict(words: &[Word]) -> Option<usize> {
    let start = words.iter().take(3).take_while(|word| word.is_in(EMPHASIS)).count();
    let word = words.get(start)?;
    let next = words.get(start + 1);
    let is_end = next.is_none_or(|next| {
        // "Ada: never use X" is an order.
        next.is_in(BEHIND) && !(word.is_in(&["never", "don't"]) && next.is("use"))
            || next.is_in(tables::PLACE_WORD)
            || next.is_in(tables::OUTSIDE)
    });
    let is_refusal = !word.is_code && (word.is_in(NO) || word.is_in(tables::BANNED)) && is_end;
    let is_negated =
        word.is("not") && next.is_some_and(|next| next.is_in(BEHIND_NOT) || next.is_in(tables::USED));
    (is_refusal || is_negated).then_some(start + 1 + usize::from(is_negated && !is_refusal))
}

/// Returns the places of a verdict: "never, with the exception of `x/`", "forbidden save for handlers in `x/`".
pub(super) fn places_of(words: &[Word]) -> Scope {
    // "X: not in `a/`" is a ban there, and no exception.
    let words = match words {
        [not, behind @ ..] if not.is("not") => behind,
        _ => words,
    };
    let mut places = scope(words).0;
    let is_exception = |word: &Word| {
        word.is_in(tables::OUTSIDE) || word.is_in(&["save", "exception", "exceptions", "unless"])
    };
    if words.iter().any(is_exception) {
        let within = std::mem::take(&mut places.within);
        places.except.extend(within);
    }
    places
}

/// Whether a sentence permits something, so that "X isn't" behind it forbids X.
pub(super) fn permits(words: &[Word]) -> bool {
    words.iter().any(|word| {
        word.is_in(&["allowed", "permitted", "accepted", "approved", "fine", "ok", "okay", "welcome", "may"])
    }) && !words.iter().any(|word| word.is_in(tables::NEGATION))
}

/// Returns the subject of a verdict that leaves its verb out: "X isn't, use Y" behind a sentence that permits.
pub(super) fn elided(words: &[Word]) -> Option<&[Word]> {
    const NOT: &[&str] =
        &["isn't", "aren't", "not", "won't", "mustn't", "doesn't", "don't", "cannot", "can't", "shouldn't"];
    let at = words.iter().position(|word| word.is_in(NOT)).filter(|at| *at > 0)?;
    let is_end = words.get(at + 1).is_none_or(|next| next.is(","));
    is_end.then(|| words.get(..at)).flatten()
}

/// Whether a sentence states something, and asks for assent at its end: "no X, ok?"
pub(super) fn is_tagged(words: &[Word]) -> bool {
    matches!(words, [_, _, .., comma, tag] if comma.is(",") && tag.is_in(TAGS))
}

/// Whether a question is one for leave to use what it names: "May I use X?", "X?"
pub(super) fn asks_leave(words: &[Word]) -> bool {
    let words: Vec<&Word> = match words.iter().position(|word| word.is(":")) {
        Some(at) => words.iter().skip(at + 1).collect(),
        None => words.iter().collect(),
    };
    let is_odd = |word: &&Word| {
        word.is_in(tables::NEGATION) || word.is_in(tables::BANNED) || word.is_in(tables::ORDER)
    };
    let is_leave = |word: &&Word| word.is_in(LEAVE);
    let is_verbal = |word: &&Word| word.is_in(tables::BE) || word.is_in(tables::AUXILIARY);
    let is_about =
        |pair: &[&Word]| matches!(pair, [first, about] if first.is_in(&["what", "how"]) && about.is("about"));
    words.len() <= 16
        && !words.iter().any(is_odd)
        && (words.iter().any(is_leave)
            || words.windows(2).any(is_about)
            || words.len() <= 4 && !words.iter().any(is_verbal))
}

/// Whether a title names nothing itself, and bans what is listed below it.
pub(in super::super) fn bans_list(title: &str) -> bool {
    let own = words(title);
    let is_undone = |word: &Word| {
        word.is_in(&[
            "un-banned",
            "unbanned",
            "lifted",
            "longer",
            "proposed",
            "remove",
            "delete",
            "uninstall",
            "disable",
            "ideas",
            "should",
            "formerly",
        ])
    };
    let is_announced = own.iter().any(|word| word.is_in(&["following", "these", "below"])) && own.len() <= 16;
    (own.len() <= 7 || is_announced)
        && tables::LIST_TITLE.iter().any(|phrase| has_phrase(&own, phrase))
        && (has_phrase(&own, "no longer use") || !own.iter().any(is_undone))
        && !names(&own).iter().any(|name| {
            let lower = name.text.to_lowercase();
            name.is_code || tables::technology(&lower).is_some() || tables::is_named_program(&lower)
        })
}

/// Returns the names that a mark refuses, before or behind it: "❌ X: never again", "X ❌, Y ✅".
pub(super) fn marked(sentence: &[Word]) -> Option<Vec<Name>> {
    if !sentence.iter().any(|word| word.is_in(MARKS)) {
        return None;
    }
    let label = sentence
        .iter()
        .position(|word| word.is(":"))
        .filter(|at| !sentence.iter().take(*at).any(|word| word.is_in(MARKS) || word.is_code) && *at <= 4);
    let own = sentence.get(label.map_or(0, |at| at + 1)..)?;
    let mut refused = Vec::new();
    let is_sign = |word: &Word| word.is_in(&["✅", "✔", "👍", "🟢", "🟡"]);
    for part in own.split(|word| word.is(",") || word.is("->") || word.is(";") || word.is("|")) {
        // "✅ undici ❌ request"
        let last = part.iter().rposition(|word| word.is_in(MARKS) || is_sign(word)).unwrap_or_default();
        let part = part.get(last..).filter(|_| part.first().is_some_and(is_sign) && last > 0).unwrap_or(part);
        match part {
            [mark, behind @ ..] if mark.is_in(MARKS) => {
                let end = behind.iter().position(|word| word.is(":") || word.is("—")).unwrap_or(behind.len());
                let named = behind.get(..end)?;
                refused
                    .extend(Some(named).filter(|named| is_name_alone(named)).map(names).unwrap_or_default());
            }
            [before @ .., mark] if mark.is_in(MARKS) && is_name_alone(before) => {
                refused.extend(names(before));
            }
            _ => {}
        }
    }
    (!refused.is_empty()).then_some(refused)
}

/// Whether a sentence is a name or a list of them, and nothing else.
pub(super) fn is_name_alone(sentence: &[Word]) -> bool {
    let is_link = |word: &Word| word.is_in(&[",", "and", "or", "/", "&"]);
    let is_name = |word: &Word| {
        let named = names(std::slice::from_ref(word));
        !named.is_empty() && named.iter().all(|name| name.is_code || !name.is_guess())
    };
    (1..=12).contains(&sentence.len())
        && sentence.iter().all(|word| is_link(word) || is_name(word) || word.is_in(tables::FILLER))
        && sentence.iter().any(is_name)
}

impl Reading {
    /// Reads the answer to the question before, if `words` are one that refuses: "X? No." Returns whether they are.
    pub(super) fn answer(&mut self, words: &[Word], asked: Vec<Name>, context: &mut Context) -> bool {
        let own = match words.iter().position(|word| word.is(":")) {
            Some(at)
                if at <= 2
                    && names(words.get(..at).unwrap_or_default()).iter().all(Name::is_guess_or_short) =>
            {
                words.get(at + 1..).unwrap_or_default()
            }
            _ => words,
        };
        if asked.is_empty() || verdict(own).is_none() {
            return false;
        }
        let places = places_of(own);
        context.is_ban = true;
        self.forbid_named(asked, places, "use", None, context);
        true
    }
}
