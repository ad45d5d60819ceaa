//! Properties of patterns for any pattern and path: the first line is the pattern, the rest the path.

use hooks_facts::globs::{Gap, GlobOptions, Globs, PatternDialect};

/// Panics if a property does not hold for `input`.
pub(crate) fn properties(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (pattern, path) = text.split_once('\n').unwrap_or((text, "a/b"));
    for dialect in [PatternDialect::Standard, PatternDialect::Squad] {
        let options = GlobOptions { dialect, case_insensitive: false, root: None };
        let Ok(globs) = Globs::compile([pattern], &options) else { continue };
        let found = globs.find(path);
        assert_eq!(found.is_some(), globs.is_match(path), "two answers about `{path}`");
        let Ok(twice) = Globs::compile([pattern, pattern], &options) else { continue };
        assert_eq!(twice.is_match(path), found.is_some(), "a second pattern changes the first");
        // What is known whole may be what it is. A slash at the end has a meaning of its own in the two.
        let is_plain = !path.contains(|c| Gap::from_char(c).is_some()) && !path.ends_with('/');
        if is_plain && found.is_some() {
            assert!(globs.meets(path, true).is_some(), "`{path}` matches, but may not be one");
        }
    }
}
