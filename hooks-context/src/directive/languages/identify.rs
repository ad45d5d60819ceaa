//! Languages of a message and of its sentences.

use std::ops::Range;

use super::table::ALL;
use super::{Language, fold};
use crate::directive::sentence::Sentence;
use crate::directive::tokens::{Kind, Token};

/// Words of languages that are written in Latin letters, in the order of their bytes; each with the languages
/// that have it.
const KNOWN: &[(&str, &[&str])] = table!("known_words");

/// Languages of a message, and its text in the form in which phrases are looked up.
#[derive(Debug)]
pub(in crate::directive) struct Languages {
    /// Message in lower case; missing if the message is in English only.
    folded: Option<String>,
    /// Known words of each language in the message.
    votes: Votes,
}

/// Number of known words for each language of [`ALL`].
type Votes = [u16; ALL.len()];

/// The most words of a message that are looked up to find its languages.
const MOST: usize = 400;

impl Languages {
    /// Finds the languages of a message.
    pub(in crate::directive) fn find(message: &str, tokens: &[Token<'_>]) -> Self {
        let words = tokens.iter().filter(|token| token.kind == Kind::Word).take(MOST);
        let votes = vote(words.map(|token| token.word));
        let is_latin = votes.iter().any(|count| *count > 0);
        let is_foreign = is_latin || !message.is_ascii() && message.chars().any(|c| script(c).is_some());
        Self { folded: is_foreign.then(|| fold(message, tokens)), votes }
    }

    /// Returns the message in lower case, if it has another language than English.
    pub(super) fn folded(&self) -> Option<&str> {
        self.folded.as_deref()
    }

    /// Returns the languages that a sentence can be in, other than English.
    pub(super) fn of_sentence(
        &self,
        folded: &str,
        sentence: &Sentence<'_>,
        span: Range<usize>,
    ) -> Vec<&'static Language> {
        let text = folded.get(span).unwrap_or_default();
        if let Some(code) = script_of(text, folded) {
            return ALL.iter().filter(|language| language.code == code).collect();
        }
        let own = vote((0..sentence.len()).map(|at| sentence.word(at)));
        let total = |at: usize| 4 * own.get(at).copied().unwrap_or(0) + self.votes.get(at).copied().unwrap_or(0);
        let most = (0..ALL.len()).map(total).max().unwrap_or(0);
        // A single word can be a name or a loan.
        if most == 0 || own.iter().all(|count| *count == 0) {
            return Vec::new();
        }
        let english = english_words(sentence);
        let best = own.iter().max().copied().unwrap_or(0);
        if usize::from(best) < english || (english > 0 && best < 2) {
            return Vec::new();
        }
        ALL.iter().enumerate().filter(|(at, _)| total(*at) == most).map(|(_, language)| language).collect()
    }
}

fn vote<'a>(words: impl Iterator<Item = &'a str>) -> Votes {
    let mut votes = [0; ALL.len()];
    for word in words {
        let Ok(at) = KNOWN.binary_search_by(|(known, _)| (*known).cmp(word)) else { continue };
        let Some((_, languages)) = KNOWN.get(at) else { continue };
        for (language, votes) in ALL.iter().zip(&mut votes) {
            if languages.contains(&language.code) {
                *votes = u16::saturating_add(*votes, 1);
            }
        }
    }
    votes
}

/// Number of words that only English has.
fn english_words(sentence: &Sentence<'_>) -> usize {
    const ENGLISH: [&str; 24] = [
        "the", "and", "is", "of", "you", "that", "it", "for", "with", "this", "are", "your", "we", "from", "not",
        "have", "when", "should", "use", "please", "always", "never", "i", "be",
    ];
    (0..sentence.len()).filter(|at| sentence.is(*at, &ENGLISH)).count()
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

/// Returns the language that the letters of `text` belong to; `message` decides between languages with the
/// same letters.
fn script_of(text: &str, message: &str) -> Option<&'static str> {
    let has = |text: &str, wanted: Script| text.chars().any(|c| script(c) == Some(wanted));
    let found = text.chars().find_map(script)?;
    Some(match found {
        Script::Cyrillic if message.contains(['і', 'ї', 'є', 'ґ']) => "uk",
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
