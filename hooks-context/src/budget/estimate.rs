//! An estimate without a vocabulary.

use super::Tokenizer;

/// Counts tokens for any model without its vocabulary, on the safe side: words, numbers, marks and space are told
/// apart as tokenizers tell them apart, and each is taken for what an unusual one of its kind needs.
///
/// For prose, Markdown, code and JSON it says no less than `cl100k` and `o200k` do, and at most twice as much. Text without
/// words (hashes, base64) may take up to twice as much as it says; nothing takes more. It allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate;

/// What a character is to a tokenizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// Letters of other alphabets.
    Letter,
    /// Scripts in which a character is a word or a part of one.
    Wide,
    /// Beyond the basic plane: emoji, mostly.
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

    /// Half tokens of a run of `length` characters.
    const fn halves(self, length: u64) -> u64 {
        match self {
            // A word of three letters is one, as a rule; what is longer may be none that a vocabulary has.
            Self::Lower if length <= 3 => 2,
            Self::Lower => (2 * length).div_ceil(3),
            Self::Upper => 2 * length.div_ceil(3),
            Self::Digit => 2 * length.div_ceil(3),
            Self::Letter => 1 + length,
            Self::Wide => 4 * length,
            Self::Far => 8 * length,
            Self::Mark => 1 + length,
            // What stands before a word is part of it.
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
                // A capital begins its word.
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

    /// What OpenAI's vocabularies say, the larger of both.
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
