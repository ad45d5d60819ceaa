//! All readers together: they classify any error of a client.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use hooks_core::BoxError;
use hooks_core::time::Clock;

use super::error_reply::{ErrorReply, Finding, is_error_event};
use super::words::Words;
use super::{
    Classify, Headers, HttpError, Quota, TransportError, anthropic, azure, bedrock, generic, google, openai,
    status,
};
use crate::error::{ErrorKind, ModelError};

/// Classifies the errors of a client. Give it [`HttpError`] and [`TransportError`] if possible. In any other
/// error, it searches the chain of sources for these, for a [`ModelError`] and for an [`io::Error`];
/// without one, it reads the message.
///
/// The first reader that recognises the error decides: your own readers in the order in which they were
/// added, then those of the vendors, whose shapes do not overlap.
///
/// ```
/// use std::sync::Arc;
/// use hooks_core::time::StoppedClock;
/// use hooks_resilience::ErrorKind;
/// use hooks_resilience::classify::{Classifiers, Classify, Finding, Headers, HttpError};
///
/// let classifiers = Classifiers::new(Arc::new(StoppedClock::default())).with(|reply| {
///     let code = reply.json().get("reason")?.as_str()?;
///     (code == "gpu_on_fire").then(|| Finding::new(ErrorKind::Overloaded, "a GPU is on fire"))
/// });
/// let error = HttpError::new(418, Headers::default(), br#"{"reason": "gpu_on_fire"}"#);
/// assert_eq!(classifiers.classify(error).kind(), ErrorKind::Overloaded);
/// ```
#[derive(Clone)]
pub struct Classifiers {
    clock: Arc<dyn Clock>,
    own: Vec<Arc<ReplyClassifier>>,
}

/// Classifies an error reply, or returns `None` if it does not recognise it.
type ReplyClassifier = dyn Fn(&ErrorReply<'_>) -> Option<Finding> + Send + Sync;

/// The vendors, those with the most specific shape first: some shapes are a special case of OpenAI's.
const VENDORS: [fn(&ErrorReply<'_>) -> Option<Finding>; 5] = [bedrock, google, anthropic, azure, openai];

/// Most sources of an error that are searched.
const SOURCES: usize = 16;

impl Classifiers {
    /// Creates a classifier with the vendors' readers. Dates in headers are compared with `clock` if the
    /// answer has no date of its own.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, own: Vec::new() }
    }

    /// Adds `reader` before the vendors' readers, and after readers that were added earlier.
    #[must_use]
    pub fn with(
        mut self,
        reader: impl Fn(&ErrorReply<'_>) -> Option<Finding> + Send + Sync + 'static,
    ) -> Self {
        self.own.push(Arc::new(reader));
        self
    }

    /// Classifies an answer that is an error, with the rate limits in its headers.
    pub fn http(&self, error: &HttpError) -> ModelError {
        let mut read = self.read(error.status(), error.headers(), error.body());
        if let Some(quota) = Quota::from_headers(error.headers(), self.clock.now()) {
            read = read.with_limits(quota.limits());
        }
        if error.status() >= 400 { read.with_status(error.status()) } else { read }
    }

    /// Classifies an event of a stream, or returns `None` if it is no error: the data of a server-sent event,
    /// or a frame of Bedrock. `event` is its name, if it has one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_resilience::ErrorKind;
    /// use hooks_resilience::classify::Classifiers;
    ///
    /// let classifiers = Classifiers::new(Arc::new(StoppedClock::default()));
    /// let text = br#"{"type": "content_block_delta", "delta": {"type": "text_delta", "text": "hi"}}"#;
    /// assert!(classifiers.event(Some("content_block_delta"), text).is_none());
    /// let error = br#"{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}"#;
    /// let error = classifiers.event(Some("error"), error).expect("the event is an error");
    /// assert_eq!(error.kind(), ErrorKind::Overloaded);
    /// ```
    pub fn event(&self, event: Option<&str>, data: &[u8]) -> Option<ModelError> {
        let named = event.is_some_and(|name| name == "error" || name.ends_with("xception"));
        // Nearly all events are no errors; those are not parsed.
        if !named && !may_be_error(data) {
            return None;
        }
        let is_error = named
            || serde_json::from_slice::<serde_json::Value>(data).is_ok_and(|event| is_error_event(&event));
        is_error.then(|| self.read(200, &Headers::default(), data))
    }

    /// Classifies an error by its message alone.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    /// use hooks_core::time::StoppedClock;
    /// use hooks_resilience::ErrorKind;
    /// use hooks_resilience::classify::Classifiers;
    ///
    /// let classifiers = Classifiers::new(Arc::new(StoppedClock::default()));
    /// let error = classifiers.text("429: try again in 20s");
    /// assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(Duration::from_secs(20))));
    /// assert_eq!(classifiers.text("it did not work").kind(), ErrorKind::Unknown);
    /// ```
    pub fn text(&self, text: &str) -> ModelError {
        let words = Words::from_text(text);
        let status = words.status();
        let read = self.read(status.unwrap_or(200), &Headers::default(), text.as_bytes());
        let kind = match read.kind() {
            ErrorKind::Unknown => words.refine(status.map_or(ErrorKind::Unknown, status::kind), None),
            kind => kind,
        };
        let mut error = ModelError::new(kind, text);
        if let Some(status) = status {
            error = error.with_status(status);
        }
        match read.retry_after() {
            Some(wait) => error.with_retry_after(wait),
            None => error,
        }
    }

    fn read(&self, status: u16, headers: &Headers, body: &[u8]) -> ModelError {
        let (mut reply, documents) = ErrorReply::open(status, headers, body, self.clock.now());
        let mut found = None;
        // The innermost document first: a proxy's own message is less specific than the error it passes on.
        for document in documents.into_iter().rev() {
            reply.json = document;
            let own = self.own.iter().find_map(|reader| reader(&reply));
            found = own.or_else(|| VENDORS.iter().find_map(|read| read(&reply)));
            if found.is_some() {
                break;
            }
        }
        let on_text =
            || if reply.json.is_null() { self.own.iter().find_map(|reader| reader(&reply)) } else { None };
        let Finding { kind, message } = found.or_else(on_text).unwrap_or_else(|| generic(&reply));
        let message = if message.is_empty() { format!("the answer has status {status}") } else { message };
        let error = ModelError::new(kind, message);
        match reply.wait(kind) {
            Some(wait) => error.with_retry_after(wait),
            None => error,
        }
    }

    fn chain(&self, error: &(dyn Error + 'static)) -> ModelError {
        let mut text = String::new();
        let mut at = Some(error);
        for _ in 0..SOURCES {
            let Some(error) = at else { break };
            if let Some(error) = error.downcast_ref::<HttpError>() {
                return self.http(error);
            }
            if let Some(error) = error.downcast_ref::<TransportError>() {
                return ModelError::new(error.kind(), error.to_string());
            }
            if let Some(kind) = error.downcast_ref::<io::Error>().and_then(io_kind) {
                return ModelError::new(kind, format!("{text}{error}"));
            }
            text.push_str(&error.to_string());
            text.push_str(": ");
            at = error.source();
        }
        let text = text.trim_end_matches(": ");
        self.text(text)
    }
}

impl<E: Into<BoxError>> Classify<E> for Classifiers {
    fn classify(&self, error: E) -> ModelError {
        match error.into().downcast::<ModelError>() {
            Ok(error) => *error,
            Err(error) => self.chain(&*error).with_source(error),
        }
    }
}

impl fmt::Debug for Classifiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Classifiers").field("own", &self.own.len()).finish_non_exhaustive()
    }
}

/// Classifies an error of the operating system; `None` if it wraps a more specific error or is of an
/// unspecific kind.
fn io_kind(error: &io::Error) -> Option<ErrorKind> {
    use io::ErrorKind as Io;
    match error.kind() {
        Io::TimedOut => Some(ErrorKind::AttemptTimeout),
        Io::ConnectionRefused
        | Io::ConnectionReset
        | Io::ConnectionAborted
        | Io::NotConnected
        | Io::BrokenPipe
        | Io::HostUnreachable
        | Io::NetworkUnreachable
        | Io::NetworkDown
        | Io::AddrNotAvailable
        | Io::UnexpectedEof => Some(ErrorKind::Network),
        _ => None,
    }
}

/// Whether the data contains a word that every error event has.
fn may_be_error(data: &[u8]) -> bool {
    [&b"error"[..], b"xception", b"__type", b"response.failed"]
        .iter()
        .any(|word| data.windows(word.len()).any(|part| part == *word))
}
