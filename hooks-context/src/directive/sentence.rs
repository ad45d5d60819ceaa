//! Sentences: the text between two full stops, or an item of a list.

use std::ops::Range;

use super::tokens::{Kind, Token};
use super::words::is_filler;

/// The longest sentence, in words and punctuation marks.
const LONGEST: usize = 160;

/// Length from which a list of words is in the order of its bytes: only the verbs are so many.
const SORTED: usize = 200;

/// A sentence, without the punctuation marks around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sentence<'a> {
    tokens: &'a [Token<'a>],
    /// Punctuation mark at the end.
    end: Option<Token<'a>>,
    is_item: bool,
}

impl<'a> Sentence<'a> {
    /// Returns all sentences of a message.
    pub(super) fn all(tokens: &'a [Token<'a>]) -> impl Iterator<Item = Self> {
        let mut rest = tokens;
        let mut is_item = false;
        std::iter::from_fn(move || {
            loop {
                let first = rest.first()?;
                if matches!(first.kind, Kind::Line | Kind::Bullet) {
                    is_item = first.kind == Kind::Bullet;
                    rest = rest.get(1..)?;
                    continue;
                }
                // A sentence beyond this length is read in pieces, so that the time stays linear.
                let breath = rest.get(..LONGEST).unwrap_or(rest);
                let is_end =
                    |token: &Token<'_>| matches!(token.kind, Kind::Line | Kind::Bullet) || is_stop(token);
                let ends = breath.iter().position(is_end).unwrap_or(breath.len());
                let (tokens, behind) = rest.split_at_checked(ends)?;
                let end = behind.first().filter(|token| is_stop(token)).copied();
                let marks = behind.iter().take_while(|token| is_stop(token)).count();
                // "?!" is still a question.
                let asks = behind.iter().take(marks).find(|token| asks(token)).copied();
                rest = behind.get(marks..).unwrap_or_default();
                if !tokens.is_empty() {
                    return Some(Self { tokens, end: asks.or(end), is_item });
                }
            }
        })
    }

    /// Returns a part as a sentence of its own, without the mark at the end.
    pub(super) fn part(&self, tokens: Range<usize>) -> Self {
        Self { tokens: self.tokens.get(tokens).unwrap_or_default(), end: None, is_item: self.is_item }
    }

    /// Returns the number of tokens.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns the word at `at`, or an empty text if there is no word.
    pub(super) fn word(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.word)
    }

    /// Whether the word at `at` is one of `words`.
    pub(super) fn is(&self, at: usize, words: &[&str]) -> bool {
        let word = self.word(at);
        if words.len() >= SORTED {
            return words.binary_search(&word).is_ok();
        }
        // The first letter rules out most words without a comparison of texts.
        let first = word.as_bytes().first();
        first.is_some() && words.iter().any(|known| known.as_bytes().first() == first && *known == word)
    }

    /// Whether the word at `at` does not change the meaning of an instruction after it.
    pub(super) fn is_filler(&self, at: usize) -> bool {
        is_filler(self.word(at))
    }

    /// Returns the number of words of the longest of `phrases` that is at `at`.
    pub(super) fn reads_any(&self, at: usize, phrases: &[&str]) -> Option<usize> {
        let first = self.word(at);
        if first.is_empty() {
            return None;
        }
        // A look at the first word rules out nearly all phrases.
        let begin = phrases.iter().filter(|phrase| phrase.starts_with(first));
        let lengths = begin.filter_map(|phrase| {
            let mut words = phrase.split(' ').enumerate();
            words.all(|(offset, word)| self.word(at + offset) == word).then(|| phrase.split(' ').count())
        });
        lengths.max()
    }

    /// Whether `words` are the tokens from `at` on.
    pub(super) fn reads(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| self.word(at + offset) == *word)
    }

    /// Returns the punctuation mark at `at`.
    pub(super) fn mark(&self, at: usize) -> Option<char> {
        match self.tokens.get(at)?.kind {
            Kind::Mark(mark) => Some(mark),
            _ => None,
        }
    }

    /// Whether there is a quotation at `at`.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Quoted)
    }

    /// Whether the sentence ends with a question mark.
    pub(super) fn asks(&self) -> bool {
        self.end.is_some_and(|end| asks(&end))
    }

    /// Whether the sentence is an item of a list.
    pub(super) fn is_item(&self) -> bool {
        self.is_item
    }

    /// Returns the position of `tokens` in the message. The full stop is included if `tokens` is the whole
    /// sentence.
    pub(super) fn span(&self, tokens: Range<usize>) -> Option<Range<usize>> {
        let start = self.tokens.get(tokens.start)?.start;
        let last = self.tokens.get(tokens.end.checked_sub(1)?)?;
        let stop = self.end.filter(|_| tokens.start == 0 && tokens.end == self.tokens.len());
        let end = stop.map_or(last.end, |stop| if stop.start == last.end { stop.end } else { last.end });
        (start < end).then_some(start..end)
    }

    /// Returns the position of the whole sentence.
    pub(super) fn whole(&self) -> Option<Range<usize>> {
        self.span(0..self.tokens.len())
    }
}

/// Whether the token ends a sentence. A full stop within a word is part of the word, so it is not such a
/// token.
fn is_stop(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Mark('.' | '!' | '?' | '…' | '。' | '！' | '？' | '؟' | '।'))
}

fn asks(token: &Token<'_>) -> bool {
    matches!(token.kind, Kind::Mark('?' | '？' | '؟'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::words::VERBS;

    #[test]
    fn the_verbs_are_a_sorted_list() {
        assert!(VERBS.len() >= SORTED && VERBS.is_sorted());
    }
}
