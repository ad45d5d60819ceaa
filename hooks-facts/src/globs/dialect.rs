//! Syntax of patterns.

/// Syntax of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// As described in the [module](super).
    #[default]
    Standard,
    /// As in Squad policies: a backslash is a slash, `?` matches any one character, also a slash, `*`
    /// anything but a slash. `**` matches anything but a line break, also inside of a segment, and `**/` may
    /// match nothing. All other characters are literal, also braces.
    Squad,
}
