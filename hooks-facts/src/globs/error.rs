//! Errors and warnings about patterns.

use std::fmt;

/// Pattern that cannot be used.
///
/// ```
/// use hooks_facts::globs::{GlobOptions, Globs};
///
/// let errors = Globs::compile(["../x"], &GlobOptions::default()).unwrap_err();
/// assert!(errors[0].to_string().starts_with("pattern `../x`: `..` never matches"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Index in the list.
    pub index: usize,
    /// The pattern.
    pub pattern: String,
    /// Position of the error, in bytes.
    pub position: usize,
    /// Kind of the error.
    pub problem: PatternProblem,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, problem, position, .. } = self;
        write!(f, "pattern `{pattern}`: {problem} (at byte {position})")
    }
}

impl std::error::Error for PatternError {}

/// Kind of error in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// The pattern is empty.
    Empty,
    /// `{` without `}`.
    UnclosedBrace,
    /// `}` without `{`.
    UnopenedBrace,
    /// A backslash is at the end.
    DanglingEscape,
    /// A segment is `..`.
    ParentSegment,
    /// The path is outside of the root.
    Absolute,
    /// The pattern begins with `!`, which excludes nothing here.
    Negated,
    /// There are too many alternatives.
    TooManyAlternatives,
    /// The pattern is too long.
    TooLong,
}

impl fmt::Display for PatternProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty; leave it out, or write `**` for everything"),
            Self::UnclosedBrace => f.write_str("`{` is never closed; write `\\{` for the character"),
            Self::UnopenedBrace => f.write_str("`}` closes nothing; write `\\}` for the character"),
            Self::DanglingEscape => {
                f.write_str("`\\` escapes nothing; write `\\\\` for the character, or `/` between folders")
            }
            Self::ParentSegment => f.write_str(
                "`..` never matches, because paths are resolved first; name the folder that is meant",
            ),
            Self::Absolute => {
                f.write_str("it is absolute and not below the root; write it relative to the root")
            }
            Self::Negated => f.write_str(
                "a `!` at the start excludes nothing; put the pattern into a list for exceptions, such as `deny` or `except`, or write `\\!` for the character",
            ),
            Self::TooManyAlternatives => {
                f.write_str("its braces stand for too many alternatives; write several patterns")
            }
            Self::TooLong => f.write_str("it is too long; write a shorter one"),
        }
    }
}

impl std::error::Error for PatternProblem {}

/// Pattern that can be used but probably means something else.
///
/// ```
/// use hooks_facts::globs::{GlobOptions, Globs};
///
/// let globs = Globs::compile(["src/**.rs"], &GlobOptions::default()).expect("it can be used");
/// assert_eq!(
///     globs.warnings()[0].to_string(),
///     "pattern `src/**.rs`: `**` beside other characters acts as `*` (at byte 4); write `**/` for folders",
/// );
/// assert!(globs.is_match("src/a.rs") && !globs.is_match("src/a/b.rs"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternWarning {
    /// Index in the list.
    pub index: usize,
    /// The pattern.
    pub pattern: String,
    /// Position of the `**`, in bytes.
    pub position: usize,
}

impl fmt::Display for PatternWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, position, .. } = self;
        write!(
            f,
            "pattern `{pattern}`: `**` beside other characters acts as `*` (at byte {position}); write `**/` for folders"
        )
    }
}

impl std::error::Error for PatternWarning {}
