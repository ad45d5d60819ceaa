//! The taxonomy.

use std::fmt;

use hooks_core::event::ErrorType;
use serde::{Deserialize, Serialize};

/// Declares the kinds with their words and the six words of `error_occurred`, in one list.
macro_rules! error_kinds {
    ($($(#[$doc:meta])* $kind:ident $word:literal => $type:ident,)*) => {
        /// What went wrong with a model call.
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

            /// Its word in configuration, logs and metrics.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$kind => $word),* }
            }

            /// What `error_occurred` calls it.
            pub const fn error_type(self) -> ErrorType {
                match self { $(Self::$kind => ErrorType::$type),* }
            }
        }
    };
}

error_kinds! {
    /// Too many requests or tokens: the provider says wait.
    RateLimited "rate_limited" => Model,
    /// The provider is short of capacity, for everybody.
    Overloaded "overloaded" => Model,
    /// No connection in time.
    ConnectTimeout "connect_timeout" => Network,
    /// Connected, and no answer began in time.
    FirstByteTimeout "first_byte_timeout" => Network,
    /// An answer began and stalled.
    IdleTimeout "idle_timeout" => Network,
    /// One attempt took longer than an attempt may.
    AttemptTimeout "attempt_timeout" => Network,
    /// The connection could not be made, or broke before anything was answered.
    Network "network" => Network,
    /// The provider failed.
    Server "server" => Model,
    /// The conversation does not fit into the model's window.
    ContextOverflow "context_overflow" => ContextOverflow,
    /// The answer ended at the limit of tokens: an answer, but not a whole one.
    OutputTruncated "output_truncated" => Model,
    /// The credentials are missing, wrong or withdrawn.
    Authentication "authentication" => Permission,
    /// The credentials are good and do not reach that far.
    Permission "permission" => Permission,
    /// The provider, or the model, refuses the content.
    ContentFilter "content_filter" => Model,
    /// The request is malformed: the caller's mistake, wherever it is sent.
    InvalidRequest "invalid_request" => Model,
    /// Credit, quota or spend cap used up: waiting minutes does not help.
    QuotaExhausted "quota_exhausted" => Model,
    /// The model does not exist here, or not any more.
    ModelUnavailable "model_unavailable" => Model,
    /// An answer began and broke off; what was received is in the error.
    StreamBroken "stream_broken" => Network,
    /// A hook stopped the call, or withheld the answer.
    Stopped "stopped" => Permission,
    /// Nobody was asked: the breaker is open, the rate or the bulkhead used up, or the provider told us to wait.
    NotAdmitted "not_admitted" => Model,
    /// The deadline of the whole call passed, or would pass before anything could answer.
    DeadlineExceeded "deadline_exceeded" => Network,
    /// No model of the chain can do what the call needs.
    NoModel "no_model" => Model,
    /// A retry loop inside a retry loop: attempts would multiply. A mistake in the stack.
    NestedRetry "nested_retry" => Unknown,
    /// None of these.
    Unknown "unknown" => Unknown,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
