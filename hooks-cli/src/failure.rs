//! Exit statuses and failures of the program.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::paint::BAD;

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Success.
    Well,
    /// A finding, such as a mistake or a denial.
    Found,
    /// The command line is wrong, or a file cannot be read.
    Usage,
    /// An audit log was tampered with.
    Damaged,
    /// An audit log does not match its anchor.
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

/// The reason why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A message for the user.
    Message(String),
    /// A failure that was printed already; only its status is left.
    Shown(Status),
    /// An error of input or output.
    Io(io::Error),
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn message(what: impl Into<String>) -> Self {
        Self::Message(what.into())
    }

    /// Whether the output was closed.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// The exit status.
    pub(crate) const fn status(&self) -> Status {
        match self {
            Self::Shown(status) => *status,
            Self::Message(_) | Self::Io(_) => Status::Usage,
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
            Self::Message(what) => write!(f, "{BAD}error{BAD:#}: {what}"),
            Self::Shown(_) => Ok(()),
            Self::Io(error) => write!(f, "{BAD}error{BAD:#}: {error}"),
        }
    }
}
