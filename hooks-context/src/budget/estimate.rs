//! A token estimate that needs no vocabulary.

use super::Tokenizer;

/// Estimates the tokens of a text for any model without its vocabulary. The estimate is rather too high than
/// too low. The text is split into words, numbers, punctuation and white space as tokenizers do. Each piece
/// counts as many tokens as an unusual piece of its kind needs.
///
/// For prose, Markdown, code and JSON, the estimate is at least the count of `cl100k` and `o200k`, and at
/// most twice that count. Text without words (hashes, base64) may have up to twice as many tokens as the
/// estimate; no text has more. It allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate;

/// Class of a character, as tokenizers split text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// Letters of alphabets other than the Latin one.
    Letter,
    /// Scripts in which one character is a word or a part of a word.
    Wide,
    /// Characters beyond the Basic Multilingual Plane, mostly emoji.
    Far,
    Mark,
    Space,
    Line,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\n' | '\r' => Self::Line,
            ' ' | '\t' => Self::Space,
            '\0'..='\x7F' => Self::Mark,
            '\u{80}'..'\u{2E80}' if c.is_alphabetic() => Self::Letter,
            '\u{80}'..'\u{1_0000}' => Self::Wide,
            _ => Self::Far,
        }
    }

    /// Returns the cost of a run of `length` characters, in half tokens.
    const fn halves(self, length: u64) -> u64 {
        match self {
            // Words of up to three letters are usually one token; longer words may be missing in a
            // vocabulary.
            Self::Lower if length <= 3 => 2,
            Self::Lower => (2 * length).div_ceil(3),
            Self::Upper => 2 * length.div_ceil(3),
            Self::Digit => 2 * length.div_ceil(3),
            Self::Letter => 1 + length,
            Self::Wide => 4 * length,
            Self::Far => 8 * length,
            Self::Mark => 1 + length,
            // A single space is part of the token of the word that follows.
            Self::Space => {
                if length == 1 {
                    0
                } else {
                    2 * length.div_ceil(16)
                }
            }
            Self::Line => 2,
        }
    }
}

impl Tokenizer for Estimate {
    fn count(&self, text: &str) -> u64 {
        let mut halves = 0_u64;
        let mut run: Option<(Class, u64)> = None;
        for c in text.chars() {
            let class = Class::of(c);
            run = match run {
                Some((open, length)) if open == class => Some((class, length.saturating_add(1))),
                // A capital belongs to the word that follows.
                Some((Class::Upper, 1)) if class == Class::Lower => Some((Class::Lower, 2)),
                Some((open, length)) => {
                    halves = halves.saturating_add(open.halves(length));
                    Some((class, 1))
                }
                None => Some((class, 1)),
            };
        }
        if let Some((open, length)) = run {
            halves = halves.saturating_add(open.halves(length));
        }
        halves.div_ceil(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Count by OpenAI's vocabularies, the larger of both.
    fn real(text: &str) -> u64 {
        bpe_openai::o200k_base().count(text).max(bpe_openai::cl100k_base().count(text)) as u64
    }

    #[test]
    fn usual_texts_are_counted_on_the_safe_side() {
        let json = include_str!("../../../schema/events/session_start.json");
        let (code, manifest) = (include_str!("mod.rs"), include_str!("../../Cargo.toml"));
        let tests = include_str!("../session_end/tests.rs");
        for text in [
            include_str!("../../../docs/context.md"),
            include_str!("../../../README.md"),
            json,
            code,
            manifest,
            tests,
        ] {
            let (real, estimate) = (real(text), Estimate.count(text));
            let title = text.lines().next().unwrap();
            assert!(real <= estimate && estimate <= real * 2, "{title}: {estimate} for {real}");
            println!("{title}: {:.2}", estimate as f64 / real as f64);
        }
    }

    #[test]
    fn words_are_told_apart() {
        for (text, tokens) in [("", 0), ("a", 1), ("The lazy dog.", 5), ("12345", 2), ("\n\n", 1)] {
            assert_eq!(Estimate.count(text), tokens, "{text:?}");
        }
    }
}
