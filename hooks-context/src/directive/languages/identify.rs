//! Languages of a message and of its sentences.

use std::ops::Range;
use std::sync::LazyLock;

use super::table::ALL;
use super::{Language, fold};
use crate::directive::tokens::{Kind, Token};

/// Words of languages that are written in Latin letters, in the order of their bytes; each with the languages
/// that have it.
const KNOWN: &[(&str, &[&str])] = table!("known_words");

/// Languages of a message, and its text in the form in which phrases are looked up.
#[derive(Debug)]
pub(in crate::directive) struct Languages {
    /// Message in lower case; missing if the message is in English only.
    folded: Option<String>,
    /// Positions of known words, with their languages.
    known: Vec<(usize, &'static [&'static str])>,
    /// Positions of English words.
    english: Vec<usize>,
    /// Known words of each language in the message.
    votes: Votes,
    /// Whether the message has a letter that Ukrainian has and Russian has not.
    is_ukrainian: bool,
}

/// Number of known words for each language of [`ALL`].
type Votes = [u16; ALL.len()];

/// The most words of a message that are looked up to find its languages.
const MOST: usize = 2_000;

impl Languages {
    /// Finds the languages of a message.
    pub(in crate::directive) fn find(message: &str, tokens: &[Token<'_>]) -> Self {
        let words = tokens.iter().filter(|token| token.kind == Kind::Word).take(MOST);
        let known: Vec<_> =
            words.clone().filter_map(|token| Some((token.start, languages_of(token.word)?))).collect();
        let votes = vote(known.iter().map(|(_, languages)| *languages));
        let is_foreign =
            !known.is_empty() || !message.is_ascii() && message.chars().any(|c| script(c).is_some());
        let is_ukrainian = !message.is_ascii() && message.contains(['і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ']);
        let english = if known.is_empty() {
            Vec::new()
        } else {
            words.filter(|token| is_english(token.word)).map(|token| token.start).collect()
        };
        Self { folded: is_foreign.then(|| fold(message, tokens)), known, english, votes, is_ukrainian }
    }

    /// Returns the message in lower case, if it has another language than English.
    pub(super) fn folded(&self) -> Option<&str> {
        self.folded.as_deref()
    }

    /// Returns the languages that a sentence can be in, other than English.
    pub(super) fn of_sentence(&self, folded: &str, span: Range<usize>) -> Vec<&'static Language> {
        let text = folded.get(span.clone()).unwrap_or_default();
        if !text.is_ascii()
            && let Some(code) = script_of(text, self.is_ukrainian)
        {
            // Some sentences have no letter that only one of the two has.
            let is_either = code == "ru" && !text.contains(['ы', 'э', 'ъ', 'ё']);
            if is_either {
                return ALL.iter().filter(|language| ["ru", "uk"].contains(&language.code)).collect();
            }
            return ALL.iter().filter(|language| language.code == code).collect();
        }
        let begins = self.known.partition_point(|(at, _)| *at < span.start);
        let ends = self.known.partition_point(|(at, _)| *at < span.end);
        let own = self.known.get(begins..ends).unwrap_or_default();
        if own.is_empty() {
            return Vec::new();
        }
        let own = vote(own.iter().map(|(_, languages)| *languages));
        let begins = self.english.partition_point(|at| *at < span.start);
        let english = self.english.partition_point(|at| *at < span.end).saturating_sub(begins);
        let best = own.iter().max().copied().unwrap_or(0);
        // A single word can be a name or a loan.
        if usize::from(best) < english || (english > 0 && best < 2) {
            return Vec::new();
        }
        let total = |at: usize| {
            4 * own.get(at).copied().unwrap_or(0) + self.votes.get(at).copied().unwrap_or(0).min(40)
        };
        let most = (0..ALL.len()).map(total).max().unwrap_or(0);
        ALL.iter().enumerate().filter(|(at, _)| total(*at) == most).map(|(_, language)| language).collect()
    }
}

/// Bits of all known words: most other words are recognised as unknown without a search.
static SEEN: LazyLock<[u64; 256]> = LazyLock::new(|| {
    let mut seen = [0; 256];
    for (word, _) in KNOWN {
        let (place, bit) = bit_of(word.as_bytes());
        if let Some(place) = seen.get_mut(place) {
            *place |= bit;
        }
    }
    seen
});

/// Returns the bit of a word in [`SEEN`].
fn bit_of(word: &[u8]) -> (usize, u64) {
    let byte = |at: usize| usize::from(word.get(at).copied().unwrap_or(0));
    let last = word.len().saturating_sub(1);
    let mixed =
        byte(0) * 31 + byte(1) * 1_009 + byte(last / 2 + 1) * 9_973 + byte(last) * 257 + word.len() * 4_099;
    ((mixed / 64) % 256, 1 << (mixed % 64))
}

/// Returns the languages that have the word.
fn languages_of(word: &str) -> Option<&'static [&'static str]> {
    let (place, bit) = bit_of(word.as_bytes());
    if SEEN.get(place)? & bit == 0 {
        return None;
    }
    let at = KNOWN.binary_search_by(|(known, _)| (*known).cmp(word)).ok()?;
    KNOWN.get(at).map(|(_, languages)| *languages)
}

fn vote<'a>(words: impl Iterator<Item = &'a [&'a str]>) -> Votes {
    let mut votes = [0; ALL.len()];
    for languages in words {
        for (language, votes) in ALL.iter().zip(&mut votes) {
            if languages.contains(&language.code) {
                *votes = u16::saturating_add(*votes, 1);
            }
        }
    }
    votes
}

/// Whether the word is a common word that only English has.
fn is_english(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "and"
            | "is"
            | "of"
            | "you"
            | "that"
            | "it"
            | "for"
            | "with"
            | "this"
            | "are"
            | "your"
            | "we"
            | "from"
            | "not"
            | "have"
            | "when"
            | "should"
            | "please"
            | "always"
            | "never"
            | "i"
            | "be"
            | "to"
            | "my"
    )
}

/// Writing system of a letter that English does not use.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Cyrillic,
    Arabic,
    Devanagari,
    Hangul,
    Kana,
    Han,
}

fn script(c: char) -> Option<Script> {
    match c {
        '\u{400}'..='\u{52f}' => Some(Script::Cyrillic),
        '\u{600}'..='\u{6ff}' => Some(Script::Arabic),
        '\u{900}'..='\u{97f}' => Some(Script::Devanagari),
        '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' => Some(Script::Hangul),
        '\u{3040}'..='\u{30ff}' => Some(Script::Kana),
        '\u{4e00}'..='\u{9fff}' => Some(Script::Han),
        _ => None,
    }
}

/// Returns the language that the letters of `text` belong to; the rest of the message decides between languages
/// with the same letters.
fn script_of(text: &str, is_ukrainian: bool) -> Option<&'static str> {
    let has = |text: &str, wanted: Script| text.chars().any(|c| script(c) == Some(wanted));
    let found = text.chars().find_map(script)?;
    Some(match found {
        Script::Cyrillic if is_ukrainian => "uk",
        Script::Cyrillic => "ru",
        Script::Arabic => "ar",
        Script::Devanagari => "hi",
        Script::Hangul => "ko",
        Script::Kana => "ja",
        Script::Han if has(text, Script::Kana) => "ja",
        Script::Han if has(text, Script::Hangul) => "ko",
        Script::Han => "zh",
    })
}
