//! Compares names without regard to case and to the separators between words: `write_file`, `WriteFile` and
//! `write-file` are one name.

use std::cmp::Ordering;

/// Most letters of a name in the built-in tables.
const LONGEST: usize = 32;

/// Name in the form in which names are compared, computed once and kept on the stack: its letters in lower
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    letters: [u8; LONGEST],
    length: usize,
}

impl Folded {
    /// Folds a name; `None` if it cannot be in a built-in table, because it is too long or not ASCII.
    pub(super) fn new(name: &str) -> Option<Self> {
        let mut folded = Self { letters: [0; LONGEST], length: 0 };
        if name.is_ascii() {
            let letters = name.bytes().filter(|byte| counts(char::from(*byte)));
            letters.map(|byte| byte.to_ascii_lowercase()).try_for_each(|byte| folded.push(byte))?;
        } else {
            // Some letters beyond ASCII are ASCII in lower case, such as the Kelvin sign.
            let mut letters = self::folded(name);
            letters.try_for_each(|c| folded.push(u8::try_from(c).ok().filter(u8::is_ascii)?))?;
        }
        Some(folded)
    }

    /// Returns the value of the name in a table that is sorted by name.
    pub(super) fn find<T: Copy>(&self, table: &[(&str, T)]) -> Option<T> {
        let at = table.binary_search_by(|(known, _)| known.as_bytes().cmp(self.letters())).ok()?;
        table.get(at).map(|(_, value)| *value)
    }

    /// Returns whether the name is one of `names`.
    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        names.iter().any(|known| known.as_bytes() == self.letters())
    }

    fn letters(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }

    fn push(&mut self, letter: u8) -> Option<()> {
        *self.letters.get_mut(self.length)? = letter;
        self.length += 1;
        Some(())
    }
}

/// Compares a folded name with a name of any length.
pub(super) fn compare(folded_name: &str, name: &str) -> Ordering {
    folded_name.chars().cmp(folded(name))
}

/// Folds a name of any length.
pub(super) fn fold(name: &str) -> String {
    folded(name).collect()
}

fn folded(name: &str) -> impl Iterator<Item = char> + '_ {
    name.chars().filter(|c| counts(*c)).flat_map(char::to_lowercase)
}

/// Returns whether a character is not a separator between words.
fn counts(c: char) -> bool {
    !matches!(c, '_' | '-' | ' ')
}

/// Returns whether [`Folded::find`] can search a table.
#[cfg(test)]
pub(super) fn is_searchable<T>(table: &[(&str, T)]) -> bool {
    table.is_sorted_by(|a, b| a.0 < b.0)
        && table.iter().all(|(name, _)| Folded::new(name).is_some_and(|folded| folded.is_one_of(&[name])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spelling_does_not_count() {
        for name in ["write_file", "WriteFile", "write-file", "WRITE_FILE"] {
            assert_eq!(compare("writefile", name), Ordering::Equal);
            assert!(Folded::new(name).unwrap().is_one_of(&["write", "writefile"]));
        }
        assert_ne!(compare("writefile", "writefiles"), Ordering::Equal);
        assert_eq!(Folded::new("filePath").unwrap().find(&[("filepath", 1), ("path", 2)]), Some(1));
        assert_eq!(Folded::new("Path_").unwrap().find(&[("filepath", 1), ("path", 2)]), Some(2));
        assert!(Folded::new("tas\u{212a}").unwrap().is_one_of(&["task"]));
        assert!(Folded::new(&"a".repeat(LONGEST + 1)).is_none());
        assert!(Folded::new(&"_a".repeat(LONGEST)).is_some());
    }

    proptest! {
        #[test]
        fn both_ways_to_fold_agree(name in "[a-cA-C_ \\-\u{212a}\u{130}\u{df}é]{0,40}") {
            let long = fold(&name);
            let short = Folded::new(&name);
            prop_assert_eq!(short.is_some(), long.is_ascii() && long.len() <= LONGEST);
            prop_assert!(short.is_none_or(|short| short.is_one_of(&[&long])));
        }
    }
}
