//! What is wrong, or odd, with a pattern.

use thiserror::Error;

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("pattern `{pattern}`: {problem} (at byte {position})")]
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

/// What can be wrong with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatternProblem {
    /// Nothing in it.
    #[error("it is empty; leave it out, or write `**` for everything")]
    Empty,
    /// `{` without `}`.
    #[error("`{{` is never closed; write `\\{{` for the character")]
    UnclosedBrace,
    /// `}` without `{`.
    #[error("`}}` closes nothing; write `\\}}` for the character")]
    UnopenedBrace,
    /// A backslash at the end.
    #[error("`\\` escapes nothing; write `\\\\` for the character, or `/` between folders")]
    DanglingEscape,
    /// A `..` segment.
    #[error("`..` never matches, because paths are resolved first; name the folder that is meant")]
    ParentSegment,
    /// A path outside of the root.
    #[error("it is absolute and not below the root; write it relative to the root")]
    Absolute,
    /// Too many alternatives.
    #[error("its braces stand for too many alternatives; write several patterns")]
    TooManyAlternatives,
    /// Too long.
    #[error("it is too long; write a shorter one")]
    TooLong,
}

/// A pattern that can be used and probably means something else.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "pattern `{pattern}`: `**` beside other characters acts as `*` (at byte {position}); write `**/` for folders"
)]
pub struct PatternWarning {
    /// Its place in the list.
    pub index: usize,
    /// The pattern.
    pub pattern: String,
    /// The byte the `**` is at.
    pub position: usize,
}
