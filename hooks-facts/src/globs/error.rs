//! What is wrong, or odd, with a pattern.

use std::fmt;

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Its place in the list.
    pub index: usize,
    /// The pattern.
    pub pattern: String,
    /// The byte the problem is at.
    pub position: usize,
    /// What is wrong.
    pub problem: PatternProblem,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pattern, problem, position, .. } = self;
        write!(f, "pattern `{pattern}`: {problem} (at byte {position})")
    }
}

impl std::error::Error for PatternError {}

/// What can be wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternProblem {
    /// Nothing in it.
    Empty,
    /// `{` without `}`.
    UnclosedBrace,
    /// `}` without `{`.
    UnopenedBrace,
    /// A backslash at the end.
    DanglingEscape,
    /// A `..` segment.
    ParentSegment,
    /// A path outside of the root.
    Absolute,
    /// Too many alternatives.
    TooManyAlternatives,
    /// Too long.
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
            Self::TooManyAlternatives => {
                f.write_str("its braces stand for too many alternatives; write several patterns")
            }
            Self::TooLong => f.write_str("it is too long; write a shorter one"),
        }
    }
}

impl std::error::Error for PatternProblem {}

/// A pattern that can be used and probably means something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternWarning {
    /// Its place in the list.
    pub index: usize,
    /// The pattern.
    pub pattern: String,
    /// The byte the `**` is at.
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
