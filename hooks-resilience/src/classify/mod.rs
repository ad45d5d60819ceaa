//! What a client's error means: from status, headers, body and error types to a [`ModelError`].
//!
//! [`Classifiers`] reads the shapes of Anthropic, OpenAI, Google, Bedrock and Azure, those of proxies that wrap
//! them, and makes the best of anything else. Codes decide before status, status before words; words only tell kinds
//! apart that share a code. It reads 64 KiB at most, in linear time, and whatever the bytes are, it answers.
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

/// Says what an error of a client means.
pub trait Classify<E> {
    /// What `error` means.
    fn classify(&self, error: E) -> ModelError;
}

/// For clients whose errors are [`ModelError`]s already.
#[derive(Clone, Copy, Debug, Default)]
pub struct Classified;

impl Classify<ModelError> for Classified {
    fn classify(&self, error: ModelError) -> ModelError {
        error
    }
}
