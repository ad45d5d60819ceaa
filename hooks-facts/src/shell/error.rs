//! Why a text cannot be analysed.

use std::fmt;

use thiserror::Error;

/// A part of a text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes {} to {}", self.start, self.end)
    }
}

/// A text that the reader does not understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the command cannot be read: {reason} ({span}); write it in a simpler way")]
pub struct Unanalysable {
    /// Why.
    pub reason: Reason,
    /// Where.
    pub span: Span,
}

/// What the reader does not understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Reason {
    /// The text is longer than the limit.
    #[error("it is too long")]
    TooLong,
    /// The nesting is deeper than the limit.
    #[error("it is nested too deeply")]
    TooDeep,
    /// The reader would need more steps than a text of this length is worth.
    #[error("it is too complex")]
    TooComplex,
    /// A quote, a bracket or a block is not closed.
    #[error("something is opened and never closed")]
    Unclosed,
    /// A character or a word where none is expected.
    #[error("an unexpected character or word")]
    Unexpected,
    /// The end mark of a here-document holds an expansion.
    #[error("the end mark of a here-document holds `$` or a backtick")]
    EndMark,
}
