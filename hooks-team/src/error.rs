//! Errors of a team folder.

use std::io;

use crate::name::BadName;

/// Error of reading or writing a team folder. Either nothing was changed, or the next writer finishes the
/// change.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TeamError {
    /// The file system returned an error.
    #[error("`{place}`: {source}")]
    Io {
        /// Path of the file, relative to the team folder.
        place: String,
        /// Error of the file system.
        source: io::Error,
    },
    /// A name is invalid.
    #[error("`{name}` is not accepted as a name: {reason}")]
    Name {
        /// The invalid name.
        name: String,
        /// Reason why it is invalid.
        reason: BadName,
    },
    /// There is an entry at the path that is not a regular file or folder.
    #[error("`{place}` is {what}; put an ordinary {expected} there")]
    Refused {
        /// Path of the entry.
        place: String,
        /// Kind of the entry.
        what: &'static str,
        /// Kind that is expected.
        expected: &'static str,
    },
    /// The named thing does not exist in this team.
    #[error("there is no {what} `{name}` in this team; {way_out}")]
    Missing {
        /// Kind of the missing thing.
        what: &'static str,
        /// Name of the missing thing.
        name: String,
        /// Action that solves the problem.
        way_out: &'static str,
    },
    /// The file is larger than the limit for reading.
    #[error("`{place}` is larger than {limit} bytes; archive a part of it")]
    TooLarge {
        /// Path of the file.
        place: String,
        /// Limit in bytes.
        limit: u64,
    },
    /// The file would become larger than the limit for reading.
    #[error("`{place}` would be larger than {limit} bytes; archive a part of it")]
    Full {
        /// Path of the file.
        place: String,
        /// Limit in bytes.
        limit: u64,
    },
    /// The file is not UTF-8 text.
    #[error("`{place}` is not UTF-8 and would not be kept as it is; save it as UTF-8")]
    NotText {
        /// Path of the file.
        place: String,
    },
    /// Another writer holds the folder's lock.
    #[error("the team folder was busy for {seconds} s; try again")]
    Busy {
        /// Seconds that the writer waited.
        seconds: u64,
    },
    /// A program that does not take the lock changed the file at every attempt.
    #[error("`{place}` was changed by another process each time; try again")]
    Contended {
        /// Path of the file.
        place: String,
    },
    /// A value cannot be written.
    #[error("`{field}` is not accepted: {reason}")]
    Invalid {
        /// Name of the field.
        field: &'static str,
        /// Reason, and how to solve the problem.
        reason: String,
    },
}

impl TeamError {
    /// Whether the error is about the content of one path, and not about the disk or other writers. It recurs
    /// until the operator or user changes that path; work on other paths can go on.
    pub fn is_in_the_way(&self) -> bool {
        use io::ErrorKind::{InvalidInput, IsADirectory, NotADirectory, PermissionDenied};
        match self {
            Self::Refused { .. } | Self::TooLarge { .. } | Self::Full { .. } | Self::NotText { .. } => true,
            Self::Io { source, .. } => {
                matches!(source.kind(), InvalidInput | IsADirectory | NotADirectory | PermissionDenied)
            }
            _ => false,
        }
    }

    pub(crate) fn name(name: impl Into<String>, reason: BadName) -> Self {
        Self::Name { name: name.into(), reason }
    }

    pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { field, reason: reason.into() }
    }
}
