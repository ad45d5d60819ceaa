//! Says why a scrubber could not be built.

/// A pattern or marker that a scrubber cannot work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScrubberError {
    /// The name of a pattern cannot stand in a marker.
    #[error("`{name}` cannot name a pattern; use capital letters, digits and `_`, and no built-in label")]
    PatternName {
        /// The name as it was given.
        name: String,
    },
    /// The pattern is not a regular expression, or too big a one.
    #[error("`{name}` has a bad pattern: {reason}; check its syntax")]
    PatternSyntax {
        /// The name of the pattern.
        name: String,
        /// What is wrong with it, on one line.
        reason: String,
    },
    /// The pattern matches the empty text.
    #[error("`{name}` matches the empty text and would find nothing to remove; make it match a character")]
    PatternEmpty {
        /// The name of the pattern.
        name: String,
    },
    /// The parts of a marker could be mistaken for the text around it.
    #[error(
        "`{part}` cannot frame a marker; it needs one of `[`, `]`, `<`, `>`, `{{` or `}}` at its outer end and no `@`, digit or quote"
    )]
    MarkerPart {
        /// The part as it was given.
        part: String,
    },
}
