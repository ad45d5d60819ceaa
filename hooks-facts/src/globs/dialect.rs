//! Syntax of patterns.

use serde::{Deserialize, Serialize};

/// Syntax of a pattern.
///
/// ```
/// use hooks_facts::globs::{GlobOptions, Globs, PatternDialect};
///
/// let compiled = |dialect| {
///     let options = GlobOptions { dialect, ..GlobOptions::default() };
///     Globs::compile(["src/{a,b}?.rs"], &options).expect("a pattern in both dialects")
/// };
/// let (standard, squad) = (compiled(PatternDialect::Standard), compiled(PatternDialect::Squad));
/// assert!(standard.is_match("src/a1.rs") && !standard.is_match("src/{a,b}1.rs"));
/// assert!(squad.is_match("src/{a,b}1.rs") && !squad.is_match("src/a1.rs"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PatternDialect {
    /// `*` and `?` match inside a segment, `**` matches whole segments, `{a,b}` lists alternatives.
    #[default]
    Standard,
    /// Squad's syntax: back slashes are slashes, `?` is any character, braces are literal.
    Squad,
}
