//! The one error type of every hook.
//!
//! A denial is an answer, never an error. Because all hooks share this type, no conversion bound appears
//! in any layer, and the order of layers never changes the type of a stack.

use std::any::Any;
use std::borrow::Cow;
use std::time::Duration;

/// A boxed error of whatever a hook is built on.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a hook could not answer. What that means (deny or pass) is the failure layer's job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HookError {
    /// The hook panicked, in `call` or while its future was polled.
    #[error("the hook panicked: {message}")]
    Panicked {
        /// What it panicked with, where that was text.
        message: String,
    },
    /// The hook did not answer in time.
    #[error("the hook did not answer within {limit:?}")]
    TimedOut {
        /// Its deadline.
        limit: Duration,
    },
    /// The hook answered something that cannot be used.
    #[error("the hook gave an unusable answer: {message}")]
    BadAnswer {
        /// What is wrong with it, and what was expected.
        message: Cow<'static, str>,
    },
    /// The hook could not be started or reached.
    #[error("the hook is not available: {message}")]
    Unavailable {
        /// Why.
        message: Cow<'static, str>,
    },
    /// Anything else.
    #[error(transparent)]
    Other(BoxError),
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
