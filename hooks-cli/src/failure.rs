//! How the program ends.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::paint::BAD;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// All went well.
    Well,
    /// Something was found.
    Found,
    /// The command line is wrong, or something cannot be read.
    Usage,
    /// An audit log was tampered with.
    Damaged,
    /// An audit log is not the one that was anchored.
    Mismatched,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Well => Self::SUCCESS,
            Status::Found => Self::from(1),
            Status::Usage => Self::from(2),
            Status::Damaged => Self::from(3),
            Status::Mismatched => Self::from(4),
        }
    }
}

/// Why a command could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// In words for a person.
    Said(String),
    /// Already shown in full; only the status is left.
    Shown(Status),
    /// Input or output.
    Io(io::Error),
}

impl Failure {
    /// `what` could not be done.
    pub(crate) fn said(what: impl Into<String>) -> Self {
        Self::Said(what.into())
    }

    /// Whether the reader of the output went away.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// What to exit with.
    pub(crate) const fn status(&self) -> Status {
        match self {
            Self::Shown(status) => *status,
            Self::Said(_) | Self::Io(_) => Status::Usage,
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Io(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said(what) => write!(f, "{BAD}error{BAD:#}: {what}"),
            Self::Shown(_) => Ok(()),
            Self::Io(error) => write!(f, "{BAD}error{BAD:#}: {error}"),
        }
    }
}
