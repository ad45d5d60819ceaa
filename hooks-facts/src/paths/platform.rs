//! Whose rules for names hold.

/// The systems whose paths differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Platform {
    /// Linux and its like.
    #[default]
    Posix,
    /// macOS: as POSIX; that names have no case is said by [`Resolver::case_insensitive`](super::Resolver).
    MacOs,
    /// Windows: drives, backslashes, reserved names, streams.
    Windows,
}
