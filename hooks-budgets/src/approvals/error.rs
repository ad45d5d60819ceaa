//! Errors of approvals.

use std::fmt;

use hooks_core::state::StoreError;

/// The reason why a call could not wait, or could not be approved.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ApprovalError {
    /// The store failed.
    Store(StoreError),
    /// The call changed since it was shown, or no longer waits.
    Changed,
    /// Another call with the same code waits.
    CodeInUse,
    /// The arguments of the call have too many levels.
    TooDeep,
    /// Too many approved calls wait for their turn.
    Full,
    /// The store returned an unexpected answer.
    BadAnswer(String),
}

impl fmt::Display for ApprovalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(source) => source.fmt(f),
            Self::Changed => f.write_str("the call was changed or made meanwhile; look at it again"),
            Self::CodeInUse => f.write_str("another call with the same code waits for an approval"),
            Self::TooDeep => f.write_str("the arguments of the call have too many levels to approve them"),
            Self::Full => f.write_str("too many calls wait for an approval"),
            Self::BadAnswer(answer) => write!(f, "the state store answered {answer}"),
        }
    }
}

impl std::error::Error for ApprovalError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Store(source) => Some(source),
            _ => None,
        }
    }
}

impl From<StoreError> for ApprovalError {
    fn from(source: StoreError) -> Self {
        Self::Store(source)
    }
}
