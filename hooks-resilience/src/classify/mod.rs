//! Classification of a client's errors: from status, headers, body and error types to a [`ModelError`].
//!
//! [`Classifiers`] reads the shapes of Anthropic, OpenAI, Google, Bedrock and Azure, and those of proxies
//! that wrap them; for anything else it does its best. Codes decide before the status, and the status before
//! the message. The message only distinguishes kinds that share a code. It reads at most 64 KiB, in linear
//! time, and accepts any bytes.
//!
//! | kind | known by |
//! | --- | --- |
//! | rate limited | 429 and the vendors' codes, unless the sentence is about money or months |
//! | quota exhausted | 402, `insufficient_quota`, `billing_error`, a quota per day, spend limits without a short wait |
//! | context overflow | `context_length_exceeded` and its like, 413, sentences about the window or the prompt's length |
//! | content filter | `content_filter`, `ResponsibleAIPolicyViolation`, stop reasons `refusal`, `SAFETY` |
//! | truncated | stop reasons `max_tokens`, `length` |
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//! use hooks_core::time::StoppedClock;
//! use hooks_resilience::classify::{Classifiers, Classify, Headers, HttpError, Phase, TransportError};
//! use hooks_resilience::ErrorKind;
//!
//! let classifiers = Classifiers::new(Arc::new(StoppedClock::default()));
//! let headers = Headers::from_iter([("retry-after", "20")]);
//! let body = br#"{"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}}"#;
//! let error = classifiers.classify(HttpError::new(429, headers, body));
//! assert_eq!((error.kind(), error.message()), (ErrorKind::RateLimited, "slow down"));
//! assert_eq!((error.status(), error.retry_after()), (Some(429), Some(Duration::from_secs(20))));
//!
//! // The same status for another cause: only an operator can repair it.
//! let body = br#"{"error": {"code": "insufficient_quota", "message": "check your plan"}}"#;
//! let error = classifiers.classify(HttpError::new(429, Headers::default(), body));
//! assert_eq!(error.kind(), ErrorKind::QuotaExhausted);
//!
//! let error = classifiers.classify(TransportError::timed_out(Phase::FirstByte));
//! assert_eq!(error.kind(), ErrorKind::FirstByteTimeout);
//! ```
//!
//! Customised: [`Classifiers::with`] adds a reader for another provider. A client with its own error type
//! implements [`Classify`] for it.

mod anthropic;
mod azure;
mod bedrock;
mod classifiers;
mod codes;
mod error_reply;
mod generic;
mod google;
mod headers;
mod http_error;
mod openai;
mod quota;
mod retry_after;
mod status;
mod stop;
#[cfg(test)]
mod tests;
mod transport;
mod words;

pub use self::anthropic::anthropic;
pub use self::azure::azure;
pub use self::bedrock::bedrock;
pub use self::classifiers::Classifiers;
pub use self::error_reply::{ErrorReply, Finding};
pub use self::generic::generic;
pub use self::google::google;
pub use self::headers::Headers;
pub use self::http_error::HttpError;
pub use self::openai::openai;
pub use self::quota::{Allowance, Quota};
pub use self::stop::{in_answer, stop_reason};
pub use self::transport::{Phase, TransportError};
use crate::error::ModelError;

/// Classifies the errors of a client.
///
/// ```
/// use hooks_resilience::{AttemptLayer, AttemptConfig, Call, Classify, ErrorKind, ModelError};
/// use tower::{Layer, ServiceExt, service_fn};
/// # use hooks_core::{BoxError, Environment, testing::VirtualTime};
/// # let time = VirtualTime::default();
/// # let environment = Environment { clock: std::sync::Arc::new(time.clone()), ..Environment::detached() };
/// # let world = hooks_resilience::World::new(&environment, time.clone());
/// # time.clone().block_on(async {
/// # let call = Call::new(Default::default(), Default::default(), hooks_core::state::OpId(1));
///
/// /// Errors of a model that runs in this process.
/// enum LocalError {
///     OutOfMemory,
///     BadPrompt(String),
/// }
///
/// #[derive(Clone)]
/// struct Local;
///
/// impl Classify<LocalError> for Local {
///     fn classify(&self, error: LocalError) -> ModelError {
///         match error {
///             LocalError::OutOfMemory => ModelError::new(ErrorKind::Overloaded, "the GPU has no memory left"),
///             LocalError::BadPrompt(why) => ModelError::new(ErrorKind::InvalidRequest, why),
///         }
///     }
/// }
///
/// let client = service_fn(async |call: Call| match call.messages() {
///     [] => Err::<&str, _>(LocalError::BadPrompt("there are no messages".to_owned())),
///     _ => Err(LocalError::OutOfMemory),
/// });
/// let stack = AttemptLayer::new(world, AttemptConfig::default(), Local)?.layer(client);
/// let error = stack.oneshot(call).await.expect_err("there are no messages");
/// assert_eq!(error.kind(), ErrorKind::InvalidRequest);
/// # Ok::<(), BoxError>(())
/// # }).ok_or("only the timer is waited for")??;
/// # Ok::<(), BoxError>(())
/// ```
pub trait Classify<E> {
    /// Converts `error` into a [`ModelError`].
    fn classify(&self, error: E) -> ModelError;
}

/// Classifier for clients whose errors are [`ModelError`]s already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Classified;

impl Classify<ModelError> for Classified {
    fn classify(&self, error: ModelError) -> ModelError {
        error
    }
}
