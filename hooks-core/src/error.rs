//! The one error type of every hook.
//!
//! A denial is an answer, never an error. Because all hooks share this type, no conversion bound appears
//! in any layer, and the order of layers never changes the type of a stack.

use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A boxed error of whatever a hook is built on.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a hook could not answer. What that means (deny or pass) is the failure layer's job.
#[derive(Debug)]
#[non_exhaustive]
pub enum HookError {
    /// The hook panicked, in `call` or while its future was polled.
    Panicked {
        /// What it panicked with, where that was text.
        message: String,
    },
    /// The hook did not answer in time.
    TimedOut {
        /// Its deadline.
        limit: Duration,
    },
    /// The hook answered something that cannot be used.
    BadAnswer {
        /// What is wrong with it, and what was expected.
        message: Cow<'static, str>,
    },
    /// The hook could not be started or reached.
    Unavailable {
        /// Why.
        message: Cow<'static, str>,
    },
    /// Anything else.
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
    // What is wrapped is shown as it is, so its own source follows.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Other(source) => source.source(),
            _ => None,
        }
    }
}

impl HookError {
    /// An unusable answer.
    pub fn bad_answer(message: impl Into<Cow<'static, str>>) -> Self {
        Self::BadAnswer { message: message.into() }
    }

    /// A hook that could not be started or reached.
    pub fn unavailable(message: impl Into<Cow<'static, str>>) -> Self {
        Self::Unavailable { message: message.into() }
    }

    /// Wraps an error of what the hook is built on.
    pub fn other(source: impl Into<BoxError>) -> Self {
        Self::Other(source.into())
    }

    /// Reads the payload of a caught panic.
    pub(crate) fn from_panic(payload: &(dyn Any + Send)) -> Self {
        let message = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a payload that is not text".to_owned());
        Self::Panicked { message }
    }
}
