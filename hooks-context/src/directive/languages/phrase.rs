//! Phrases of the tables: `*` is the rest of a word, `…` any words between two parts.

use std::ops::Range;

/// Pairs of bytes that follow each other in a text, as a set that may have more than the text.
pub(super) struct Pairs([u64; 8]);

impl Pairs {
    /// Collects the pairs of a text.
    pub(super) fn collect(text: &str) -> Self {
        let mut pairs = Self([0; 8]);
        let mut before = None;
        for byte in text.bytes() {
            if let Some(before) = before.replace(byte) {
                let (word, bit) = Self::place(before, byte);
                if let Some(word) = pairs.0.get_mut(word) {
                    *word |= bit;
                }
            }
        }
        pairs
    }

    fn place(first: u8, second: u8) -> (usize, u64) {
        let mixed =
            usize::from(first).wrapping_mul(37).wrapping_add(usize::from(second).wrapping_mul(151)) % 512;
        (mixed / 64, 1 << (mixed % 64))
    }

    /// Whether the text can have a phrase. Only the first and last letters are looked at.
    pub(super) fn can_have(&self, phrase: &str) -> bool {
        let has = |pair: Option<&[u8]>| match pair {
            Some(&[first, second]) if first != b'*' && second != b'*' => {
                let (word, bit) = Self::place(first, second);
                self.0.get(word).is_some_and(|word| word & bit != 0)
            }
            _ => true,
        };
        let bytes = phrase.as_bytes();
        let start = usize::from(bytes.first() == Some(&b'*'));
        let end = bytes.len() - usize::from(bytes.last() == Some(&b'*'));
        has(bytes.get(start..start + 2)) && has(bytes.get(end.saturating_sub(2)..end))
    }
}

/// Returns the first position of any of `phrases` in `text`; of two at the same position, the longer one.
pub(super) fn first(text: &str, phrases: &[&str], has_spaces: bool) -> Option<Range<usize>> {
    let all = phrases.iter().filter_map(|phrase| find(text, phrase, has_spaces));
    all.min_by_key(|range| (range.start, std::cmp::Reverse(range.end)))
}

/// Whether `text` has any of `phrases`.
pub(super) fn has(text: &str, phrases: &[&str], has_spaces: bool) -> bool {
    phrases.iter().any(|phrase| find(text, phrase, has_spaces).is_some())
}

/// Returns the length of the longest of `phrases` at the start of `text`.
pub(super) fn at_start(text: &str, phrases: &[&str], has_spaces: bool) -> Option<usize> {
    let lengths = phrases.iter().filter_map(|phrase| {
        // A phrase that does not begin the text is not searched in the rest of it.
        let begins = phrase.starts_with('*') || text.starts_with(phrase.split(['*', '…']).next()?.trim_end());
        let range = begins.then(|| find(text, phrase, has_spaces)).flatten()?;
        (range.start == 0).then_some(range.end)
    });
    lengths.max()
}

/// Whether `text` ends with any of `phrases`.
pub(super) fn at_end(text: &str, phrases: &[&str], has_spaces: bool) -> bool {
    phrases.iter().any(|phrase| {
        let body = phrase.trim_start_matches('*');
        let Some(before) = text.strip_suffix(body) else { return false };
        body.len() < phrase.len() || !has_spaces || !before.ends_with(char::is_alphanumeric)
    })
}

/// Whether one of `phrases` is the word.
pub(super) fn is_word(word: &str, phrases: &[&str]) -> bool {
    !word.is_empty()
        && phrases.iter().any(|phrase| match (phrase.strip_prefix('*'), phrase.strip_suffix('*')) {
            (Some(end), _) => word.ends_with(end),
            (None, Some(start)) => word.starts_with(start),
            _ => word == *phrase,
        })
}

fn find(text: &str, phrase: &str, has_spaces: bool) -> Option<Range<usize>> {
    let Some((head, tail)) = phrase.split_once('…') else { return part(text, phrase, 0, has_spaces) };
    let head = part(text, head.trim(), 0, has_spaces)?;
    let tail = part(text, tail.trim(), head.end, has_spaces)?;
    Some(head.start..tail.end)
}

fn part(text: &str, part: &str, from: usize, has_spaces: bool) -> Option<Range<usize>> {
    let body = part.trim_matches('*');
    if body.is_empty() {
        return None;
    }
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let (is_open_before, is_open_behind) = (part.starts_with('*'), part.ends_with('*'));
    let rest = text.get(from..)?;
    rest.match_indices(body).find_map(|(at, _)| {
        let (start, end) = (from + at, from + at + body.len());
        let before = text.get(..start)?.chars().next_back();
        let behind = text.get(end..)?.chars().next();
        // A mark at the end of the phrase, as in "rule:", is its own boundary.
        let begins = is_open_before || !has_spaces || !before.is_some_and(is_letter);
        let ends =
            is_open_behind || !has_spaces || !behind.is_some_and(is_letter) || !body.ends_with(is_letter);
        (begins && ends).then_some(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_end_at_the_boundaries_of_words() {
        assert_eq!(first("wie nie zuvor", &["nie"], true), Some(4..7));
        assert_eq!(first("niemals", &["nie"], true), None);
        assert_eq!(first("niemals", &["nie*"], true), Some(0..3));
        assert_eq!(first("keine emojis mehr", &["keine … mehr"], true), Some(0..17));
        assert!(at_end("testleri kullanma", &["*ma"], true));
        assert!(!at_end("testleri kullanma", &["ma"], true));
        assert_eq!(at_start("永远不要提交", &["永远", "永远不要"], false), Some("永远不要".len()));
    }
}
