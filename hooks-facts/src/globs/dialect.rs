//! How patterns are read.

/// The ways to read a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// As the module says.
    #[default]
    Standard,
    /// As the patterns of Squad policies are meant: a backslash is a slash, `?` is any one character, also a
    /// slash, `*` anything but a slash, `**` anything but a line break, also inside of a segment, and `**/`
    /// may stand for nothing. Everything else is itself, braces too.
    Squad,
}
