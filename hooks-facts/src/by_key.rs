//! Rows of a table of `data` that are found by their keys: names of programs, mostly.
//!
//! A program with its first word is a key as well, as in `cargo new`:
//!
//! ```
//! use hooks_facts::commands::{Analysis, Options};
//!
//! let writes = |text: &str| Analysis::of_text(text, &Options::default()).writes().len();
//! assert_eq!([writes("cargo new a"), writes("cargo test a")], [1, 0]);
//! ```

/// Rows and the keys of each. The build script writes it, with unique keys in the order of their bytes.
pub(crate) struct ByKey<R: 'static> {
    pub(crate) keys: &'static [(&'static str, usize)],
    pub(crate) rows: &'static [R],
}

impl<R> ByKey<R> {
    /// Returns the row with a key. Time: logarithmic in the number of keys.
    pub(crate) fn get(&self, key: &str) -> Option<&'static R> {
        self.by(|known| known.cmp(key))
    }

    /// Returns the row with two words as its key: `cargo new`.
    pub(crate) fn get_words(&self, first: &str, second: &str) -> Option<&'static R> {
        let words = || first.bytes().chain([b' ']).chain(second.bytes());
        self.by(|known| known.bytes().cmp(words()))
    }

    fn by(&self, order: impl Fn(&str) -> std::cmp::Ordering) -> Option<&'static R> {
        let at = self.keys.binary_search_by(|(known, _)| order(known)).ok()?;
        self.keys.get(at).and_then(|(_, row)| self.rows.get(*row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: ByKey<u8> = ByKey { keys: &[("a", 1), ("a b", 0), ("a-b", 1), ("c", 0)], rows: &[1, 2] };

    #[test]
    fn each_key_finds_its_row() {
        let found = |key| TABLE.get(key).copied();
        assert_eq!(
            [found("a"), found("a b"), found("a-b"), found("c")],
            [Some(2), Some(1), Some(2), Some(1)]
        );
        assert_eq!([found(""), found("b"), found("d")], [None; 3]);
        assert_eq!((TABLE.get_words("a", "b"), TABLE.get_words("a", "c")), (Some(&1), None));
    }
}
