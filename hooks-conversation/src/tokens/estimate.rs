//! A token estimate that needs no vocabulary.

use super::Tokenizer;

/// Estimates the tokens of a text for any model without its vocabulary. The estimate is rather too high than
/// too low. The text is split into words, numbers, punctuation and white space as tokenizers do. Each piece
/// counts as many tokens as an unusual piece of its kind needs.
///
/// For prose, Markdown, code and JSON, the estimate is at least the count of `cl100k` and `o200k`, and at
/// most twice that count. Text without words (hashes, base64) may have up to twice as many tokens as the
/// estimate. Only made-up words of rare Greek, Cyrillic, Hebrew or Arabic letters have more. It allocates nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate;

/// Class of a character, as tokenizers split text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// Letters that vocabularies have: of Western Europe, Greek, Cyrillic, Hebrew and Arabic.
    Letter,
    /// Letters of other alphabets, of which a vocabulary may have single bytes only.
    Rare,
    /// Scripts in which one character is a word or a part of a word.
    Wide,
    /// Characters beyond the Basic Multilingual Plane, mostly emoji.
    Far,
    Mark,
    Space,
    Line,
}

impl Class {
    fn from_char(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\n' | '\r' => Self::Line,
            ' ' | '\t' => Self::Space,
            '\0'..='\x7F' => Self::Mark,
            'à'..='ö' | 'ø'..='ü' | 'α'..='ω' | 'А'..='я' | 'א'..='ת' | 'ا'..='غ' | 'ف'..='ي' => {
                Self::Letter
            }
            '\u{80}'..'\u{2E80}' if c.is_alphabetic() => Self::Rare,
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
            Self::Rare => 3 * length,
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
            Self::Line => 2 * length.div_ceil(2),
        }
    }
}

impl Tokenizer for Estimate {
    fn count(&self, text: &str) -> u64 {
        let mut tally = Tally::default();
        tally.add(text);
        tally.tokens()
    }
}

/// Running count of a text that arrives in parts, by the rules of [`Estimate`]: the parts have as many tokens
/// as the whole.
///
/// ```
/// use hooks_conversation::tokens::{Estimate, Tally, Tokenizer};
///
/// let mut tally = Tally::default();
/// for part in ["The par", "ser fai", "led at line 31."] {
///     tally.add(part);
/// }
/// assert_eq!(tally.tokens(), Estimate.count("The parser failed at line 31."));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Tokens of the runs that ended, in halves.
    halves: u64,
    /// Class and length of the run that may go on.
    run: Option<(Class, u64)>,
}

impl Tally {
    /// Adds one more part.
    pub fn add(&mut self, part: &str) {
        for c in part.chars() {
            let class = Class::from_char(c);
            self.run = match self.run {
                Some((open, length)) if open == class => Some((class, length.saturating_add(1))),
                // A capital belongs to the word that follows.
                Some((Class::Upper, 1)) if class == Class::Lower => Some((Class::Lower, 2)),
                _ => {
                    self.halves = self.all_halves();
                    Some((class, 1))
                }
            };
        }
    }

    /// Returns the number of tokens so far.
    pub const fn tokens(self) -> u64 {
        // No word follows a space at the end.
        let space = if matches!(self.run, Some((Class::Space, 1))) { 2 } else { 0 };
        self.all_halves().saturating_add(space).div_ceil(2)
    }

    const fn all_halves(self) -> u64 {
        match self.run {
            Some((open, length)) => self.halves.saturating_add(open.halves(length)),
            None => self.halves,
        }
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
        let tests = include_str!("../../../hooks-context/src/session_end/tests.rs");
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
    fn no_character_has_more_than_twice_the_tokens() {
        // The others count at least half their bytes.
        for c in '\0'..='\u{2E80}' {
            // A word of one such letter is made up.
            let longest = if Class::from_char(c) == Class::Letter { 2 } else { 9 };
            for length in 1..=longest {
                let text = c.to_string().repeat(length);
                let (real, estimate) = (real(&text), Estimate.count(&text));
                assert!(real <= 2 * estimate, "{length} times U+{:04X}: {estimate} for {real}", u32::from(c));
            }
        }
    }

    #[test]
    fn words_are_told_apart() {
        for (text, tokens) in [("", 0), ("a", 1), ("The lazy dog.", 5), ("12345", 2), ("\n\n", 1)] {
            assert_eq!(Estimate.count(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn parts_have_the_tokens_of_the_whole() {
        let text = "Fn main() { println!(\"привет, 漢字 🦀\"); }\n\n\n    12345";
        let mut tally = Tally::default();
        text.chars().for_each(|c| tally.add(c.encode_utf8(&mut [0; 4])));
        assert_eq!(tally.tokens(), Estimate.count(text));
    }

    #[test]
    fn scripts_have_at_least_the_tokens_of_their_letters() {
        for (text, least) in [("привет", 3), ("漢字", 2), ("🦀", 2), ("four", 1), ("fours", 2)] {
            assert!(Estimate.count(text) >= least, "{text}");
        }
    }
}
