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
