//! Errors in building a scrubber.

use std::fmt;

/// Pattern or marker that a scrubber cannot use.
///
/// ```
/// use hooks_redaction::{Marker, Scrubber, ScrubberError};
///
/// let syntax = Scrubber::all().with_pattern("TICKET", "ACME-[0-9").expect_err("a class is open");
/// assert!(matches!(&syntax, ScrubberError::PatternSyntax { name, .. } if name == "TICKET"));
/// let empty = Scrubber::all().with_pattern("TICKET", "[0-9]*").expect_err("it matches nothing at all");
/// assert_eq!(
///     empty.to_string(),
///     "`TICKET` matches the empty text and would find nothing to remove; make it match a character",
/// );
/// assert_eq!(Marker::new("x", "]"), Err(ScrubberError::MarkerPart { part: "x".to_owned() }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScrubberError {
    /// The name of a pattern is not valid in a marker.
    PatternName {
        /// The name as it was given.
        name: String,
    },
    /// The pattern is not a regular expression, or is too big.
    PatternSyntax {
        /// The name of the pattern.
        name: String,
        /// Description of the error, on one line.
        reason: String,
    },
    /// The pattern matches the empty text.
    PatternEmpty {
        /// The name of the pattern.
        name: String,
    },
    /// A detector finds something in an example where it should not, or nothing where it should.
    Example {
        /// The name of the detector.
        name: String,
        /// Number of the example in its list.
        number: usize,
        /// Whether the detector should find something in it.
        wanted: bool,
    },
    /// Parts of a marker could be mistaken for the text around it.
    MarkerPart {
        /// The invalid part.
        part: String,
    },
}

impl fmt::Display for ScrubberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PatternName { name } => write!(
                f,
                "`{name}` cannot name a pattern; use capital letters, digits and `_`, and no built-in label"
            ),
            Self::PatternSyntax { name, reason } => {
                write!(f, "`{name}` has a bad pattern: {reason}; check its syntax")
            }
            Self::PatternEmpty { name } => write!(
                f,
                "`{name}` matches the empty text and would find nothing to remove; make it match a character"
            ),
            Self::Example { name, number, wanted: true } => write!(
                f,
                "`{name}` does not find its example {number} of `match`; correct the pattern or the example"
            ),
            Self::Example { name, number, wanted: false } => write!(
                f,
                "`{name}` finds something in its example {number} of `no_match`; correct the pattern or the example"
            ),
            Self::MarkerPart { part } => write!(
                f,
                "`{part}` cannot frame a marker; it needs one of `[`, `]`, `<`, `>`, `{{` or `}}` at its outer end and no `@`, digit or quote"
            ),
        }
    }
}

impl std::error::Error for ScrubberError {}
