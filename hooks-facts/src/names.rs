//! Comparison of names: of agents, artifacts, tools and child kinds.

use std::borrow::Cow;

/// Returns a name in the form in which all sections compare it: without space around it and in lower case.
///
/// ```
/// use hooks_facts::names::folded;
///
/// assert_eq!(folded(" Backend "), "backend");
/// assert_ne!(folded("back end"), folded("backend"));
/// ```
pub fn folded(name: &str) -> Cow<'_, str> {
    // Most names are in this form already.
    if name.bytes().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let name = name.trim();
    if name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    // Letter by letter: the lower case of a letter must not depend on its position (as with a final sigma).
    Cow::Owned(name.chars().flat_map(char::to_lowercase).collect())
}

/// Returns names in the compared form, without duplicates and sorted, so that the order of a list makes no
/// difference.
///
/// ```
/// use hooks_facts::names::all_folded;
///
/// let names = ["tester", " Backend", "BACKEND"].map(str::to_owned);
/// assert_eq!(all_folded(&names), ["backend", "tester"]);
/// ```
pub fn all_folded(names: &[String]) -> Vec<String> {
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
