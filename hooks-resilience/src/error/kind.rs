//! The kinds of errors.

use std::fmt;

use hooks_core::event::ErrorType;
use serde::{Deserialize, Serialize};

/// Declares the kinds with their words and their types in `error_occurred`, in one list.
macro_rules! error_kinds {
    ($($(#[$doc:meta])* $kind:ident $word:literal => $type:ident,)*) => {
        /// Kinds of failure of a model call.
        ///
        /// ```
        /// use hooks_core::event::ErrorType;
        /// use hooks_resilience::ErrorKind;
        ///
        /// assert_eq!(ErrorKind::ContextOverflow.word(), "context_overflow");
        /// assert_eq!(ErrorKind::Authentication.error_type(), ErrorType::Permission);
        /// let kind: ErrorKind = serde_json::from_str(r#""quota_exhausted""#)?;
        /// assert_eq!((kind, kind.to_string()), (ErrorKind::QuotaExhausted, "quota_exhausted".to_owned()));
        /// # Ok::<(), serde_json::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $kind,)*
        }

        impl ErrorKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The name of the kind in configuration, logs and metrics.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$kind => $word),* }
            }

            /// The type of the error in the event `error_occurred`.
            pub const fn error_type(self) -> ErrorType {
                match self { $(Self::$kind => ErrorType::$type),* }
            }
        }
    };
}

error_kinds! {
    /// Too many requests or tokens: the provider asks for a pause.
    RateLimited "rate_limited" => Model,
    /// The provider lacks capacity, for all of its customers.
    Overloaded "overloaded" => Model,
    /// The connection took too long.
    ConnectTimeout "connect_timeout" => Network,
    /// Connected, but the answer did not begin in time.
    FirstByteTimeout "first_byte_timeout" => Network,
    /// An answer began and stalled.
    IdleTimeout "idle_timeout" => Network,
    /// The attempt exceeded its time limit.
    AttemptTimeout "attempt_timeout" => Network,
    /// The connection failed, or broke before the answer began.
    Network "network" => Network,
    /// The provider failed.
    Server "server" => Model,
    /// The conversation does not fit into the model's window.
    ContextOverflow "context_overflow" => ContextOverflow,
    /// The answer ended at the token limit and is incomplete.
    OutputTruncated "output_truncated" => Model,
    /// The credentials are missing, wrong or withdrawn.
    Authentication "authentication" => Permission,
    /// The credentials are valid but do not permit the call.
    Permission "permission" => Permission,
    /// The provider, or the model, refuses the content.
    ContentFilter "content_filter" => Model,
    /// The request is malformed: a mistake of the caller, which every provider would reject.
    InvalidRequest "invalid_request" => Model,
    /// Credit, quota or spending limit is used up; waiting for minutes does not help.
    QuotaExhausted "quota_exhausted" => Model,
    /// The model does not exist at this provider, or no longer.
    ModelUnavailable "model_unavailable" => Model,
    /// An answer began and broke off; the error holds the received part.
    StreamBroken "stream_broken" => Network,
    /// A hook stopped the call, or withheld the answer.
    Stopped "stopped" => Permission,
    /// No request was sent: the breaker is open, the rate or the bulkhead is used up, or the provider asked
    /// for a pause.
    NotAdmitted "not_admitted" => Model,
    /// The deadline of the whole call passed, or would pass before any model could answer.
    DeadlineExceeded "deadline_exceeded" => Network,
    /// No model of the chain meets the needs of the call.
    NoModel "no_model" => Model,
    /// A retry loop inside a retry loop, which would multiply the attempts: a mistake in the stack.
    NestedRetry "nested_retry" => Unknown,
    /// None of the other kinds.
    Unknown "unknown" => Unknown,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
