//! How names are compared: those of agents, and of what else people call by name.

use std::borrow::Cow;

/// A name as it is compared, in every section: without space around it and without regard to case.
pub(crate) fn folded(name: &str) -> Cow<'_, str> {
    // Nearly all names are so already.
    if name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let name = name.trim();
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    // Letter by letter: what a letter becomes does not hang on where it stands.
    Cow::Owned(name.chars().flat_map(char::to_lowercase).collect())
}

/// Names as they are compared, each once and in order: a list that is in another order is the same.
pub(crate) fn all_folded(names: &[String]) -> Vec<String> {
    let mut names: Vec<_> = names.iter().map(|name| folded(name).into_owned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_neither_case_nor_space_around() {
        for (one, other) in [("Backend", " backend\t"), ("ÄRGER", "ärger"), ("ΟΔΟΣ", "οδοσ"), ("", "  ")]
        {
            assert_eq!(folded(one), folded(other));
        }
        assert_ne!(folded("back end"), folded("backend"));
        assert_eq!(all_folded(&["b".to_owned(), " A".to_owned(), "B ".to_owned()]), ["a", "b"]);
    }
}
