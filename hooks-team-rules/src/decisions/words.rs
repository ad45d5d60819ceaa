//! Words of a sentence in Markdown.
//!
//! German is read by its words:
//!
//! ```
//! use hooks_team_rules::decisions::Decisions;
//!
//! let decisions = Decisions::parse("- Wir benutzen kein lodash mehr.\n");
//! assert_eq!(decisions.all()[0].rules[0].packages[0], "lodash");
//! ```

use super::tables::{self, List};

/// A word, a code span or a mark of punctuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The word as written, without the marks around it.
    pub(super) text: String,
    /// The word in lower case.
    pub(super) lower: String,
    /// Whether it is a code span.
    pub(super) is_code: bool,
    /// The lists of `data/words.tsv` that it is in.
    class: u64,
}

/// A choice of words.
pub(super) trait Choice {
    /// Whether `word` is one of them.
    fn has(self, word: &Word) -> bool;
}

impl Choice for List {
    fn has(self, word: &Word) -> bool {
        List::has(self, word.class)
    }
}

impl<const N: usize> Choice for &[&str; N] {
    fn has(self, word: &Word) -> bool {
        self.contains(&word.lower.as_str())
    }
}

impl Choice for &[&str] {
    fn has(self, word: &Word) -> bool {
        self.contains(&word.lower.as_str())
    }
}

impl Word {
    pub(super) fn new(text: &str, is_code: bool) -> Self {
        let lower = text.to_lowercase();
        let class = tables::class(&lower);
        Self { text: text.to_owned(), lower, is_code, class }
    }

    /// Whether it is this word, and no code.
    pub(super) fn is(&self, word: &str) -> bool {
        !self.is_code && self.lower == word
    }

    /// Whether it is one of `words`, and no code.
    pub(super) fn is_in(&self, words: impl Choice) -> bool {
        !self.is_code && words.has(self)
    }
}

/// A sentence, without the texts in parentheses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) words: Vec<Word>,
    pub(super) is_question: bool,
    /// Texts in parentheses.
    pub(super) asides: Vec<Vec<Word>>,
}

/// Most words of a sentence. A longer one is split, so that its clauses, which are read one within another, stay few.
const MOST_WORDS: usize = 400;

/// Splits a paragraph into sentences.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut sentence = Sentence::default();
    let mut aside: Option<Vec<Word>> = None;
    for word in words(text) {
        let is_end = !word.is_code && [".", "!", "?"].contains(&word.text.as_str());
        match (&mut aside, word.text.as_str()) {
            (None, "(") if !word.is_code => aside = Some(Vec::new()),
            (Some(inner), ")") if !word.is_code => {
                sentence.asides.push(std::mem::take(inner));
                aside = None;
            }
            (Some(inner), _) if inner.len() < MOST_WORDS => inner.push(word),
            (Some(_), _) => {}
            (None, mark) if is_end => {
                sentence.is_question = mark == "?";
                sentences.push(std::mem::take(&mut sentence));
            }
            (None, _) => {
                sentence.words.push(word);
                if sentence.words.len() >= MOST_WORDS {
                    sentences.push(std::mem::take(&mut sentence));
                }
            }
        }
    }
    sentence.asides.extend(aside);
    sentences.push(sentence);
    sentences.retain(|sentence| !sentence.words.is_empty() || !sentence.asides.is_empty());
    sentences
}

/// Splits a text into words.
pub(super) fn words(text: &str) -> Vec<Word> {
    let text = text.replace(['\u{2019}', '\u{2018}'], "'").replace(['\u{201c}', '\u{201d}'], "\"");
    let mut words = Vec::new();
    let mut stress = None;
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            rest = rest.trim_start();
            continue;
        }
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        if ticks > 0 {
            let fence = rest.get(..ticks).unwrap_or_default();
            let inner = rest.get(ticks..).unwrap_or_default();
            let Some((code, behind)) = inner.split_once(fence) else {
                rest = inner;
                continue;
            };
            words.push(Word::new(code.trim(), true));
            rest = behind.strip_prefix("'s").unwrap_or(behind);
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || c == '`').unwrap_or(rest.len());
        let (chunk, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        push_chunk(unstressed(chunk, &mut stress), &mut words);
        rest = behind;
    }
    in_english(words)
}

/// Words that no English sentence has.
const GERMAN: &[&str] = &[
    "kein",
    "keine",
    "keinen",
    "wir",
    "nicht",
    "verboten",
    "darf",
    "dürfen",
    "statt",
    "sind",
    "nie",
    "niemals",
    "untersagt",
    "nutzen",
    "ist",
    "raus",
    "verwenden",
    "wird",
    "werden",
    "wurde",
    "wurden",
    "kommt",
    "fliegt",
    "und",
    "für",
    "außer",
    "ausgenommen",
    "stattdessen",
    "nur",
    "keinen",
    "keiner",
    "keinerlei",
    "dürfen",
    "gibt",
    "schluss",
];
/// Words of German that are names as well: `ab` is a program.
const ALSO_GERMAN: &[&str] = &["weg", "ab"];

/// Whether words are German: one is in no English sentence, or one may be a name and another is German.
fn is_german(words: &[Word]) -> bool {
    let is_known = |word: &Word| {
        !word.is_code
            && !word.is_in(ALSO_GERMAN)
            && !word.is_in(tables::ENGLISH)
            && !word.is_in(&["man", "die", "den", "hat"])
            && word.lower.len() > 2
            && tables::from_german(&word.lower).is_some_and(|english| english != word.lower)
    };
    words.iter().any(|word| word.is_in(GERMAN))
        || words.iter().any(|word| word.is_in(ALSO_GERMAN)) && words.iter().any(is_known)
}

/// Replaces the words of a text in German by those that the grammar reads.
fn in_english(words: Vec<Word>) -> Vec<Word> {
    if !is_german(&words) {
        return words;
    }
    let mut words = words;
    // "Keine X anlegen", "X nicht mehr benutzen": the verb stands at the end.
    let end = words.iter().position(|word| word.is_in(&[",", ".", ";", ":", "("])).unwrap_or(words.len());
    if let Some(last) = end.checked_sub(1).filter(|last| *last > 1) {
        let is_none = words.first().is_some_and(|word| word.lower.starts_with("kein"));
        let verb = words.get(last).and_then(|word| tables::from_german(&word.lower));
        if let Some(verb) = verb.filter(|verb| is_none && tables::VERB.contains(verb)) {
            let mut order = vec![Word::new("never", false), Word::new(verb, false)];
            order.extend(
                words.drain(..).enumerate().filter(|(at, _)| *at != 0 && *at != last).map(|(_, word)| word),
            );
            words = order;
        }
    }
    // "CSV-Dateien" are CSV files.
    let parted = words.into_iter().flat_map(|word| {
        let parts = word.text.rsplit_once('-').filter(|(_, last)| {
            !word.is_code
                && last.starts_with(char::is_uppercase)
                && tables::from_german(&last.to_lowercase()).is_some()
        });
        match parts {
            Some((first, last)) => vec![Word::new(first, false), Word::new(last, false)],
            None => vec![word],
        }
    });
    let translated =
        parted.flat_map(|word| match tables::from_german(&word.lower).filter(|_| !word.is_code) {
            Some(english) => english.split_whitespace().map(|text| Word::new(text, false)).collect(),
            None => vec![word],
        });
    translated.collect()
}

/// Returns the text in quotes that `chunk` is, if it reads like a literal of a program, and the marks behind it.
fn literal(chunk: &str) -> Option<(&str, &str)> {
    let inner = chunk.strip_prefix('"')?;
    let end = inner.find('"').filter(|end| *end > 2)?;
    let (text, behind) = inner.split_at_checked(end)?;
    let behind = behind.strip_prefix('"')?;
    let is_literal = text.contains(['-', '_', '=', '/', '.']) && text.is_ascii();
    let is_end = behind.chars().all(|c| matches!(c, ',' | ';' | ':' | '?' | '.' | '!' | ')'));
    (is_literal && is_end).then(|| (chunk.get(..end + 2).unwrap_or_default(), behind))
}

/// Returns `chunk` without a mark of emphasis behind punctuation: the end of `*Accepted.*` is not that of a glob. `open` is
/// the mark of an emphasis that has begun.
fn unstressed<'t>(chunk: &'t str, open: &mut Option<char>) -> &'t str {
    let inner = chunk.trim_start_matches('(');
    let begins = |mark: &char| {
        let behind = inner.strip_prefix(*mark).unwrap_or_default();
        behind.starts_with(char::is_alphanumeric)
    };
    let mark = ['*', '_'].into_iter().find(begins).or(*open);
    let end = chunk.trim_end_matches([',', ';', ':']);
    let Some(text) = mark.and_then(|mark| end.strip_suffix(mark)) else {
        *open = mark.filter(|mark| !inner.get(1..).unwrap_or_default().contains(*mark));
        return chunk;
    };
    *open = None;
    if text.ends_with(['.', ',', ':', ';', '!', '?', ')']) { text } else { chunk }
}

/// Adds the word in `chunk`, which has no spaces, and the punctuation around it.
fn push_chunk(chunk: &str, words: &mut Vec<Word>) {
    if chunk == "*" {
        words.push(Word::new(chunk, false));
        return;
    }
    if let Some((text, behind)) = literal(chunk) {
        words.push(Word::new(text, true));
        behind.chars().for_each(|mark| words.push(Word::new(&mark.to_string(), false)));
        return;
    }
    let mut chunk = chunk.trim_start_matches(['*', '_', '"', '~']);
    while let Some(rest) = chunk.strip_prefix('(') {
        words.push(Word::new("(", false));
        chunk = rest.trim_start_matches(['*', '"']);
    }
    let mut marks = Vec::new();
    loop {
        let is_glob = ["_*", "/*", ".*", "-*"].iter().any(|end| chunk.ends_with(end));
        let trimmed = if is_glob { chunk } else { chunk.trim_end_matches(['*', '"', '~']) };
        let Some(last) = trimmed.chars().next_back() else { break };
        let is_call = last == ')' && trimmed.contains('(');
        let is_mark = matches!(last, ',' | ';' | ':' | '?' | '.' | '…')
            || (last == ')' && !is_call)
            || (last == '!' && trimmed.trim_end_matches('!').chars().any(char::is_alphanumeric));
        if !is_mark {
            chunk = if trimmed.is_empty() { chunk } else { trimmed.trim_end_matches('_') };
            break;
        }
        marks.push(last);
        chunk = trimmed.get(..trimmed.len() - last.len_utf8()).unwrap_or_default();
    }
    let chunk = chunk.strip_suffix("'s").unwrap_or(chunk);
    let is_known = |name: &str| {
        let lower = name.to_lowercase();
        tables::technology(&lower).is_some() || tables::is_named_program(&lower)
    };
    let is_list = !chunk.contains('-') || chunk.split('/').count() > 2;
    if chunk.contains('/') && is_list && chunk.split('/').all(is_known) {
        // A list: "npm/yarn".
        for (at, name) in chunk.split('/').enumerate() {
            words.extend((at > 0).then(|| Word::new("/", false)));
            words.push(Word::new(name, false));
        }
    } else if !chunk.is_empty() {
        let plain = match chunk {
            "--" | "–" | "-" => "—",
            "=>" | "→" | "⇒" | "➔" | "➜" => "->",
            _ => chunk,
        };
        let subject = plain.strip_suffix("'re").filter(|subject| !subject.is_empty());
        words.push(Word::new(subject.unwrap_or(plain), false));
        words.extend(subject.map(|_| Word::new("are", false)));
    }
    for mark in marks.into_iter().rev() {
        words.push(Word::new(&mark.to_string(), false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        words(text)
            .iter()
            .map(|word| if word.is_code { format!("<{}>", word.text) } else { word.text.clone() })
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn words_are_split_at_punctuation() {
        assert_eq!(shown("Use **fetch**, not `axios`."), "Use fetch , not <axios> .");
        assert_eq!(shown("socket.io's eval() (v1): no!"), "socket.io eval() ( v1 ) : no !");
        assert_eq!(shown("A → B; it’s"), "A -> B ; it");
        assert_eq!(sentences("A b (c d). Why? `x.y`").len(), 3);
    }

    #[test]
    fn emphasis_is_no_part_of_a_word() {
        assert_eq!(shown("*Accepted.* No x."), "Accepted . No x .");
        assert_eq!(shown("_Reversed in May: x is back._ Ok"), "Reversed in May : x is back . Ok");
        assert_eq!(shown("*Note: use y.* See src/app.*"), "Note : use y . See src/app.*");
        assert_eq!(shown("No files named core.*"), "No files named core.*");
        assert_eq!(shown("my_* and _private"), "my_* and private");
    }
}
