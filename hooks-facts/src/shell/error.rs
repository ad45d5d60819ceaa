//! Errors for texts that cannot be analysed.

use std::fmt;

/// Part of a text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Position of the first byte.
    pub start: usize,
    /// Position after the last byte.
    pub end: usize,
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes {} to {}", self.start, self.end)
    }
}

/// Text that the reader cannot parse.
///
/// ```
/// use hooks_facts::shell::{Syntax, read};
///
/// let error = read("if true; then ls", Syntax::Bash).unwrap_err();
/// assert!(error.to_string().starts_with("the command cannot be read: something is opened and never closed"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unanalysable {
    /// Reason of the error.
    pub reason: Unparsed,
    /// Position of the error.
    pub span: Span,
}

impl fmt::Display for Unanalysable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, span } = self;
        write!(f, "the command cannot be read: {reason} ({span}); write it in a simpler way")
    }
}

impl std::error::Error for Unanalysable {}

/// Reason why a text cannot be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unparsed {
    /// The text is longer than the limit.
    TooLong,
    /// The nesting is deeper than the limit.
    TooDeep,
    /// Parsing would need more steps than are allowed for a text of this length.
    TooComplex,
    /// A quote, a bracket or a block is not closed.
    Unclosed,
    /// There is an unexpected character or word.
    Unexpected,
    /// The end mark of a here-document has an expansion.
    EndMark,
    /// Quotes inside of an expansion, which shells read differently, hold what may be a command.
    Quotes,
}

impl fmt::Display for Unparsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("it is too long"),
            Self::TooDeep => f.write_str("it is nested too deeply"),
            Self::TooComplex => f.write_str("it is too complex"),
            Self::Unclosed => f.write_str("something is opened and never closed"),
            Self::Unexpected => f.write_str("an unexpected character or word"),
            Self::Quotes => f.write_str("quotes inside of an expansion hold what may be a command"),
            Self::EndMark => f.write_str("the end mark of a here-document holds `$` or a backtick"),
        }
    }
}

impl std::error::Error for Unparsed {}
