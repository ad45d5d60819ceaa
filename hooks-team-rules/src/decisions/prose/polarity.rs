//! Sentences that no form of the grammar fits: their words of refusal, and the things that these govern.
//!
//! A sentence is split into parts. A part with a word of refusal forbids the things that it names; if it names none, it speaks
//! of the part before it, or after it. A part that chooses something, permits something or is a condition forbids nothing, nor
//! does a comparison: "ky, unlike axios, is small".
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Time to say goodbye to axios.\n");
//! assert_eq!(decisions.all()[0].rules[0].packages[0], "axios");
//! ```

use super::super::names::{Name, is_path, names};
use super::super::scope::{Scope, scope};
use super::super::tables;
use super::super::words::{Sentence, Word};
use super::concession::is_own_refusal;
use super::condition::{is_needed, is_protective};
use super::permit::{is_back, is_permit};
use super::phrases::{has_phrase, plain, starts_with_phrase};
use super::predicate::is_before_name;
use super::verdict::is_name_alone;
use super::{Context, Reading};

/// Words of reports, suggestions and conditions: their sentence refuses nothing.
const STORIES: &[&str] = &[
    "ago",
    "yesterday",
    "sometimes",
    "yet",
    "vote",
    "question",
    "discussion",
    "should",
    "would",
    "could",
    "might",
    "if",
    "unless",
    "whether",
    "until",
    "ideas",
    "wish",
    "think",
    "thinks",
    "suggests",
    "suggested",
    "proposes",
    "proposed",
    "superseded",
    "undecided",
    "wants",
    "asks",
    "asked",
];
/// Words of reasons and warnings: their part of a sentence refuses nothing.
const REASONS: &[&str] = &[
    "problem", "problems", "issue", "issues", "outage", "incident", "bug", "bugs", "crash", "crashed",
    "error", "errors", "slow", "slower", "faster", "costs", "license", "licence", "decision", "retry",
    "retries", "timeout", "timeouts", "needs", "needed", "wait", "waits", "remember", "careful",
];
/// Most words of a sentence that refuses something: a longer one describes how something works.
const MOST_WORDS: usize = 16;
/// Words that end a part.
const ENDS: &[&str] =
    &[",", ";", ":", "—", "but", "while", "whereas", "instead", "because", "since", "so", "as", "which"];

/// Attitude of a part of a sentence to the things that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaning {
    Against,
    For,
    Neither,
}

impl Reading {
    /// Reads a sentence by its words of refusal.
    pub(super) fn refusal(&mut self, sentence: &Sentence, context: &mut Context) {
        let comma = Word::new(",", false);
        let asides = sentence.asides.iter().flat_map(|aside| std::iter::once(&comma).chain(aside));
        let words: Vec<Word> = sentence.words.iter().chain(asides).cloned().collect();
        let refuses = words.iter().any(|word| {
            word.is_in(tables::NEGATIVE) || word.is_in(tables::NEGATION) || word.is_in(tables::ORDER)
        });
        let is_story = words.iter().any(|word| word.is_in(STORIES));
        // "The ban was rejected."
        let is_kept = words
            .iter()
            .any(|word| word.is_in(&["ban", "bans", "proposal", "motion", "idea", "forbid", "prohibition"]))
            && words.iter().any(|word| word.is_in(tables::ENDED) || word.is_in(tables::LIFTED));
        if is_story || is_kept || is_needed(&words) || is_permit(&words) || !refuses && is_back(&words) {
            return;
        }
        if words.len() > MOST_WORDS {
            self.is_unclear |=
                words.iter().any(|word| word.is_in(tables::NEGATIVE)) && !clear(&words).is_empty();
            return;
        }
        if let Some((old, new)) = paired(&words) {
            self.forbid_named(old, Scope::default(), "use", plain(&new), context);
            return;
        }
        let (places, words) = scope(&words);
        let parts: Vec<&[Word]> =
            words.split(|word| word.is_in(ENDS)).filter(|part| !part.is_empty()).collect();
        if parts.iter().any(|part| is_own_refusal(part)) {
            // "Others ban X, we don't."
            self.is_unclear = true;
            return;
        }
        let is_reason = |part: &[Word]| part.iter().any(|word| word.is_in(REASONS));
        let leanings: Vec<Option<Leaning>> =
            parts.iter().map(|part| Some(leaning(part)).filter(|_| !is_reason(part))).collect();
        // A refusal in the same part as a reason is not understood, and must not pass for no refusal.
        self.is_unclear |= parts
            .iter()
            .any(|part| is_reason(part) && leaning(part) == Leaning::Against && !clear(part).is_empty());
        let mut refused: Vec<Name> = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            if leanings.get(at) != Some(&Some(Leaning::Against)) {
                continue;
            }
            let own = clear(part);
            let is_neither = |at: &usize| leanings.get(*at) == Some(&Some(Leaning::Neither));
            let named = |at: usize| parts.get(at).map(|part| clear(part)).filter(|named| !named.is_empty());
            let before = || (0..at).rev().take_while(is_neither).find_map(named);
            let behind = || Some(at + 1).filter(is_neither).and_then(named);
            // A negation without a thing refuses nothing: "not in this code base".
            let is_strong =
                part.iter().any(|word| word.is_in(tables::NEGATIVE) || word.is_in(tables::BANNED));
            let near = || before().or_else(behind).filter(|_| is_strong).unwrap_or_default();
            refused.extend(if own.is_empty() { near() } else { own });
        }
        refused.dedup();
        if !refused.is_empty() {
            self.forbid_named(refused, places, "use", None, context);
        }
    }
}

/// Returns the names in a part that surely are those of things.
fn clear(part: &[Word]) -> Vec<Name> {
    let is_clear = |name: &Name| {
        let lower = name.text.to_lowercase();
        let is_word =
            tables::COMMON.contains(&lower) && name.text == lower && !name.is_code && part.len() > 8;
        let is_file = is_path(&Word::new(&name.text, name.is_code));
        (name.is_code || tables::technology(&lower).is_some()) && !is_word && !is_file
    };
    names(part).into_iter().filter(is_clear).collect()
}

/// Returns the attitude of a part to the things that it names.
fn leaning(part: &[Word]) -> Leaning {
    let refuses =
        |word: &Word| word.is_in(tables::NEGATIVE) || word.is_in(tables::BANNED) || word.is_in(tables::ORDER);
    let uses = |word: &Word| {
        (word.is_in(tables::VERB) || word.is_in(tables::USED))
            && !word.is_in(tables::IDLE_VERB)
            && !word.is_in(&["do", "going", "part", "want"])
            || word.lower.strip_suffix('s').is_some_and(|stem| tables::VERB.contains(stem))
            || word.is_in(&[
                "usage",
                "usages",
                "dependency",
                "dependencies",
                "imports",
                "import",
                "shall",
                "again",
                "merged",
                "reach",
                "find",
                "see",
                "want",
                "put",
            ])
    };
    let negations = part.iter().filter(|word| word.is_in(tables::NEGATION)).count();
    let is_name = |word: &Word| !clear(std::slice::from_ref(word)).is_empty();
    let mut behind = part.iter().skip_while(|word| !word.is_in(tables::NEGATION)).skip(1);
    let is_direct = behind.find(|word| !word.is_in(tables::ADJECTIVE)).is_some_and(is_name);
    let has_word = part.iter().enumerate().any(|(at, word)| refuses(word) && !is_before_name(part, at));
    let has_refusal = has_word
        || tables::BANNED_PHRASE.iter().any(|phrase| {
            phrase_at(part, phrase)
                .is_some_and(|at| !is_before_name(part, at + phrase.split(' ').count() - 1))
        })
        || tables::ORDER_PHRASE
            .iter()
            .any(|phrase| phrase_at(part, phrase).is_some_and(|at| !is_done_with(part, at, phrase)));
    let is_chosen = part.iter().any(|word| word.is_in(tables::CHOOSE) && !word.is_in(tables::NEGATION))
        || has_phrase(part, "it is")
        || part.last().is_some_and(|word| word.is_in(&["wins", "won", "stays", "remains", "in"]));
    // "Do not disable X"
    let is_idle = part.iter().any(|word| word.is_in(tables::IDLE_VERB) || is_protective(word));
    match (has_refusal, negations) {
        (true, 0) => Leaning::Against,
        (true, _) => Leaning::Neither,
        (false, 1 | 2) if !is_idle && (is_direct || part.iter().any(uses)) => Leaning::Against,
        (false, 0) if is_chosen => Leaning::For,
        _ => Leaning::Neither,
    }
}

/// Returns the position of a phrase.
fn phrase_at(words: &[Word], phrase: &str) -> Option<usize> {
    (0..words.len()).find(|at| words.get(*at..).is_some_and(|tail| starts_with_phrase(tail, phrase)))
}

/// Whether a phrase such as "done with" names the means, and not what the team gives up: "payments are done with Stripe".
fn is_done_with(part: &[Word], at: usize, phrase: &str) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| part.get(at));
    let is_passive = before(1).is_some_and(|word| word.is_in(tables::BE));
    let is_actor = before(2).is_none_or(|word| word.is_in(tables::ACTOR));
    phrase.ends_with(" with") && is_passive && !is_actor
}

/// Returns the old things of a sentence that names what came in their place, and the words for that.
fn paired(words: &[Word]) -> Option<(Vec<Name>, Vec<Word>)> {
    let split = |phrases: &[&str]| {
        phrases.iter().find_map(|phrase| {
            let length = phrase.split(' ').count();
            let at = phrase_at(words, phrase)?;
            Some((words.get(..at)?, words.get(at + length..)?))
        })
    };
    let only = |part: &[Word]| Some(clear(part)).filter(|named| named.len() == 1);
    if words.iter().any(|word| word.is_in(tables::NEGATION)) {
        return None;
    }
    if let Some((before, behind)) = split(tables::BECOMES) {
        // "The React pages are now faster with Vite" is no exchange.
        let is_exchange = is_name_alone(before) && is_name_alone(behind);
        return only(behind).filter(|_| is_exchange).and_then(|_| Some((only(before)?, behind.to_vec())));
    }
    if let Some((before, behind)) = split(tables::BEFORE_NEW) {
        return only(behind).and_then(|_| Some((only(before)?, behind.to_vec())));
    }
    let (before, behind) = split(tables::BEFORE_OLD)?;
    let end =
        behind.iter().position(|word| word.is_in(&[":", "is", "—", ",", "are"])).unwrap_or(behind.len());
    let (old, rest) = behind.split_at_checked(end)?;
    let new = if only(before).is_some() { before } else { rest };
    only(new).and_then(|_| Some((only(old)?, new.to_vec())))
}
