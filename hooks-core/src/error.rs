//! The error type of all hooks.
//!
//! A denial is an answer, never an error. Because all hooks share this type, layers need no conversion
//! bounds, and the order of layers never changes the type of a stack.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A boxed error of the code that a hook is built on.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The reason why a hook could not answer. [`FailureLayer`](crate::FailureLayer) decides what it means: a
/// denial, or no opinion.
#[derive(Debug)]
#[non_exhaustive]
pub enum HookError {
    /// The hook panicked, in `call` or while its future was polled.
    Panicked {
        /// Message of the panic, if its payload was text.
        message: String,
    },
    /// The hook did not answer before its deadline.
    TimedOut {
        /// Time that the hook had.
        limit: Duration,
    },
    /// The hook gave an answer that cannot be used.
    BadAnswer {
        /// Description of the problem, and of the expected answer.
        message: Cow<'static, str>,
    },
    /// The hook could not be started or reached.
    Unavailable {
        /// The cause.
        message: Cow<'static, str>,
    },
    /// Any other error.
    Other(BoxError),
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked { message } => write!(f, "the hook panicked: {message}"),
            Self::TimedOut { limit } => write!(f, "the hook did not answer within {limit:?}"),
            Self::BadAnswer { message } => write!(f, "the hook gave an unusable answer: {message}"),
            Self::Unavailable { message } => write!(f, "the hook is not available: {message}"),
            Self::Other(source) => source.fmt(f),
        }
    }
}

impl std::error::Error for HookError {
    // `Other` displays the wrapped error itself, so the next source is the source of that error.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Other(source) => source.source(),
            _ => None,
        }
    }
}

impl HookError {
    /// An error for an unusable answer.
    pub fn bad_answer(message: impl Into<Cow<'static, str>>) -> Self {
        Self::BadAnswer { message: message.into() }
    }

    /// An error for a hook that could not be started or reached.
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Unavailable { message: message.into() }
    }

    /// Wraps an error of the code that the hook is built on.
    ///
    /// ```
    /// use hooks_core::{HookError, Reason};
    ///
    /// let error = HookError::other("the model gave no JSON");
    /// assert_eq!(error.to_string(), "the model gave no JSON");
    /// assert_eq!(Reason::failure("judge", &error).message, "the model gave no JSON");
    /// ```
    pub fn other(source: impl Into<BoxError>) -> Self {
        Self::Other(source.into())
    }

    /// Makes an error of the payload of a caught panic.
    pub(crate) fn from_panic(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a payload that is not text".to_owned());
        Self::Panicked { message }
    }
}
