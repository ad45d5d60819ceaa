//! What can go wrong with a team folder.

use std::io;

use crate::name::BadName;

/// Why something could not be read or written. Nothing was changed, or what was begun is finished by the next
/// writer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TeamError {
    /// The file system refused.
    #[error("`{place}`: {source}")]
    Io {
        /// Which file, from the team folder on.
        place: String,
        /// What it said.
        source: io::Error,
    },
    /// A name that is none.
    #[error("`{name}` is not accepted as a name: {reason}")]
    Name {
        /// The name, as it was given.
        name: String,
        /// Why.
        reason: BadName,
    },
    /// Something that is no ordinary file or folder stands on the way.
    #[error("`{place}` is {what}; put an ordinary {expected} there")]
    Refused {
        /// Where.
        place: String,
        /// What it is.
        what: &'static str,
        /// What should be there.
        expected: &'static str,
    },
    /// There is nothing of that name.
    #[error("there is no {what} `{name}` in this team; {way_out}")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// Its name.
        name: String,
        /// What to do.
        way_out: &'static str,
    },
    /// The file is larger than anybody reads.
    #[error("`{place}` is larger than {limit} bytes; archive a part of it")]
    TooLarge {
        /// Which.
        place: String,
        /// The limit.
        limit: u64,
    },
    /// The file would be larger than anybody reads.
    #[error("`{place}` would be larger than {limit} bytes; archive a part of it")]
    Full {
        /// Which.
        place: String,
        /// The limit.
        limit: u64,
    },
    /// The file is no text.
    #[error("`{place}` is not UTF-8 and would not be kept as it is; save it as UTF-8")]
    NotText {
        /// Which.
        place: String,
    },
    /// Somebody else holds the folder.
    #[error("the team folder was busy for {seconds} s; try again")]
    Busy {
        /// How long that was waited for.
        seconds: u64,
    },
    /// Somebody who does not take the lock changed the file again and again.
    #[error("`{place}` was changed by somebody else each time; try again")]
    Contended {
        /// Which.
        place: String,
    },
    /// A value that cannot be written.
    #[error("`{field}` is not accepted: {reason}")]
    Invalid {
        /// Which.
        field: &'static str,
        /// Why, and the way out.
        reason: String,
    },
}

impl TeamError {
    /// Whether it is about what somebody put at one place, rather than about the disk or other writers: the same will be
    /// said again until somebody changes that, and nothing else needs to wait for it.
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
