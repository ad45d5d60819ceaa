//! Squad's path patterns: a few replacements turn a pattern into a JavaScript expression.

use std::borrow::Cow;

use regex::Regex;

use super::expression;
use super::javascript::JsError;

/// Compiled pattern.
#[derive(Debug)]
pub(super) struct Glob(Regex);

impl Glob {
    /// # Errors
    /// Returns the error of the JavaScript engine about the expression; Squad raises it when a call is
    /// judged.
    pub(super) fn new(pattern: &str) -> Result<Self, JsError> {
        expression::compile(&source(pattern)).map(Self)
    }

    /// Returns whether the pattern matches a path from [`prepare`].
    pub(super) fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// Converts a path to the form that patterns match: with slashes, and in the alphabet of the expressions.
pub(super) fn prepare(path: &str) -> Cow<'_, str> {
    if path.contains('\\') {
        Cow::Owned(expression::encode(&path.replace('\\', "/")).into_owned())
    } else {
        expression::encode(path)
    }
}

/// Returns the source of the expression. The order matters: a later step sees the result of an earlier one.
fn source(pattern: &str) -> String {
    // Squad replaces double stars by this text for two steps, so the text has the same effect in a pattern.
    const MARK: &str = "___DOUBLESTAR___";
    let inner = pattern
        .replace('\\', "/")
        .replace('.', r"\.")
        .replace("**", MARK)
        .replace('*', "[^/]*")
        .replace(MARK, ".*")
        .replace('?', ".");
    format!("^{inner}$")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Glob::new(pattern).unwrap().matches(&prepare(path))
    }

    #[test]
    fn stars_and_question_marks() {
        assert!(matches("src/**", "src/a/b.ts"));
        assert!(matches("src/**", "src/"));
        assert!(!matches("src/**", "src"));
        assert!(!matches("src/**/*.ts", "src/index.ts"));
        assert!(matches("src/*", "src/a\nb"));
        assert!(!matches("src/**", "src/a\u{2028}b"));
        assert!(matches("file?.txt", "file/.txt"));
        assert!(matches("a***", "ab/c"));
        assert!(!matches("A.ts", "a.ts") && !matches("a.ts", "axts"));
    }

    #[test]
    fn back_slashes_are_slashes() {
        assert!(matches("src\\**", "src/a"));
        assert!(matches("src/*/😀.ts", "src\\a\\😀.ts"));
    }

    #[test]
    fn other_signs_keep_their_meaning() {
        assert!(matches("app/[id]/page.tsx", "app/i/page.tsx"));
        assert!(!matches("app/[id]/page.tsx", "app/[id]/page.tsx"));
        assert!(matches("{src,test}/a.ts", "{src,test}/a.ts"));
        assert!(matches("[a.]x", ".x"));
        assert!(matches("[*]*", "^]]x"));
    }

    #[test]
    fn the_mark_is_a_double_star() {
        assert_eq!(source("x/___DOUBLESTAR___"), "^x/.*$");
        assert_eq!(source("_**"), "^_.*$");
        assert_eq!(source("___DOUBLESTAR**"), "^.*DOUBLESTAR___$");
    }
}
