//! Words of a text, to compare what texts are about.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The set of words in a text, by their stems. Common words, and words of less than three letters, are left
/// out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Hashes of the words, sorted and without duplicates.
    numbers: Vec<u64>,
}

/// Hasher with a fixed seed: the hashes, and so the order of entries, are the same in every process.
type Seeded = BuildHasherDefault<DefaultHasher>;

/// Common words that do not show what a text is about.
const COMMON: &[&str] = table!("plain_words_common");

/// The most words of a text that are used.
const MOST: usize = 4_096;

impl Words {
    /// Returns the words of `text`.
    ///
    /// ```
    /// use hooks_context::source::Words;
    ///
    /// assert!(Words::from_text("It is for you.").is_empty()); // common and short words are left out
    /// assert_eq!(Words::from_text("Postgres"), Words::from_text("use postgres, POSTGRES"));
    /// ```
    pub fn from_text(text: &str) -> Self {
        let mut numbers: Vec<_> = words(text).take(MOST).collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self { numbers }
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the number of words that both sets have.
    ///
    /// ```
    /// use hooks_context::source::Words;
    ///
    /// let task = Words::from_text("Test the parser of headers");
    /// assert_eq!(task.shared_with(&Words::from_text("parseHeader was tested")), 2);
    /// ```
    pub fn shared_with(&self, other: &Self) -> usize {
        let (few, many) =
            if self.numbers.len() < other.numbers.len() { (self, other) } else { (other, self) };
        few.numbers.iter().filter(|word| many.numbers.binary_search(word).is_ok()).count()
    }
}

/// Returns the hashes of the words in `text`. A name such as `parseHTTPHeader` or `parse_header` counts as
/// several words.
fn words(text: &str) -> impl Iterator<Item = u64> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(humps).filter_map(|word| {
        let mut stem: String = word.chars().take(40).flat_map(char::to_lowercase).collect();
        if stem.chars().count() < 3 || COMMON.contains(&&*stem) {
            return None;
        }
        for ending in ["ing", "es", "ed", "s"] {
            if let Some(rest) = stem.strip_suffix(ending).filter(|rest| rest.len() > 3) {
                stem.truncate(rest.len());
                break;
            }
        }
        Some(Seeded::default().hash_one(&*stem))
    })
}

/// Splits a name before each capital that follows a lower-case letter.
fn humps(name: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let mut previous = ' ';
    let mut cuts: Vec<usize> = Vec::new();
    for (at, c) in name.char_indices() {
        if c.is_uppercase() && previous.is_lowercase() {
            cuts.push(at);
        }
        previous = c;
    }
    cuts.push(name.len());
    cuts.into_iter().filter_map(move |cut| {
        let part = name.get(start..cut);
        start = cut;
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_other_forms() {
        let words = Words::from_text("Fix the parser of HTTP headers in `src/parse_http.rs`");
        assert_eq!(words.shared_with(&Words::from_text("parseHttpHeader")), 3, "parse, http, header");
        assert_eq!(words.shared_with(&Words::from_text("the and of in")), 0);
        assert_eq!(words.shared_with(&Words::from_text("Headers! headers, HEADER")), 1);
        assert_eq!(Words::default().shared_with(&words), 0);
    }
}
