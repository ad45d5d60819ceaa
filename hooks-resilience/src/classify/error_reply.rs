//! An error reply, parsed once for all readers.

use std::time::Duration;

use hooks_core::time::Timestamp;
use serde_json::Value;

use super::http_error::BODY_BYTES;
use super::retry_after;
use super::words::Words;
use super::{Headers, status};
use crate::error::ErrorKind;

/// An error reply as readers see it: status, headers, and a JSON document of the body if there is one.
#[derive(Debug)]
pub struct ErrorReply<'a> {
    status: u16,
    headers: &'a Headers,
    /// The document that is being read.
    pub(super) json: Value,
    text: String,
    now: Timestamp,
    /// The wait that headers and body state explicitly.
    told: Option<Duration>,
}

/// The classification that a reader returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Kind of error.
    pub kind: ErrorKind,
    /// Message of the provider.
    pub message: String,
}

impl Finding {
    /// Creates an error of `kind` with the provider's message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

/// The most nested documents that are read: proxies put a provider's error, as text, into their own.
const DOCUMENTS: usize = 4;

impl<'a> ErrorReply<'a> {
    /// Parses a reply. Returns it with the documents found in it, the innermost last.
    pub(super) fn open(status: u16, headers: &'a Headers, body: &[u8], now: Timestamp) -> (Self, Vec<Value>) {
        let body = body.get(..BODY_BYTES).unwrap_or(body);
        let text = String::from_utf8_lossy(body).into_owned();
        let mut documents: Vec<Value> = first_document(&text).into_iter().collect();
        let mut at = 0;
        while let Some(document) = documents.get(at).filter(|_| documents.len() < DOCUMENTS) {
            let inner = document_inside(document);
            documents.extend(inner);
            at += 1;
        }
        let now = retry_after::provider_time(headers).unwrap_or(now);
        let told = retry_after::told(headers, now)
            .or_else(|| documents.iter().find_map(retry_after::in_details))
            .or_else(|| retry_after::in_words(&text));
        (Self { status, headers, json: Value::Null, text, now, told }, documents)
    }

    /// The status; 200 for an error in the middle of a stream.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// The value of the header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)
    }

    /// The document: the whole body, or the error inside a proxy's message. Null without a document.
    pub const fn json(&self) -> &Value {
        &self.json
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The wait that headers or body state explicitly.
    pub const fn retry_after(&self) -> Option<Duration> {
        self.told
    }

    /// Combines a known `code`, the status and the message. If the code is generic (invalid request, server
    /// error, unknown), a specific status counts instead. The message then distinguishes causes that share a
    /// code.
    pub(super) fn finding(&self, code: Option<ErrorKind>, message: &str) -> Finding {
        let is_drawer =
            |kind| matches!(kind, ErrorKind::InvalidRequest | ErrorKind::Server | ErrorKind::Unknown);
        let by_status = status::kind(self.status);
        let kind = match code {
            Some(code) if !is_drawer(code) || is_drawer(by_status) => code,
            _ => by_status,
        };
        Finding::new(Words::from_text(message).refine(kind, self.told), message)
    }

    /// The wait before the next attempt: as stated by the provider, or until the exhausted limit is refilled.
    pub(super) fn wait(&self, kind: ErrorKind) -> Option<Duration> {
        let reset = || retry_after::until_reset(self.headers, self.now);
        match kind {
            ErrorKind::RateLimited => self.told.or_else(reset),
            _ => self.told,
        }
    }

    /// The text at this path of the document.
    pub(super) fn field(&self, path: &str) -> Option<&str> {
        self.json.pointer(path).and_then(Value::as_str)
    }
}

/// The document that a body is, or that its first event or list contains.
fn first_document(text: &str) -> Option<Value> {
    let document = match serde_json::from_str::<Value>(text) {
        Ok(document) => Some(document),
        // Events: the first error event, or else the first event.
        Err(_) if text.lines().any(|line| line.starts_with("data:")) => {
            let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
            events.filter_map(|data| serde_json::from_str(data).ok()).find(is_error_event)
        }
        Err(_) => document_in(text),
    };
    match document {
        Some(Value::Array(list)) => list.into_iter().find(Value::is_object),
        document => document.filter(Value::is_object),
    }
}

/// The document inside `text`, from its first brace on.
fn document_in(text: &str) -> Option<Value> {
    let (_, document) = text.split_at_checked(text.find('{')?)?;
    let first = serde_json::Deserializer::from_str(document).into_iter::<Value>().next()?;
    first.ok().filter(|value| value.as_object().is_some_and(|fields| !fields.is_empty()))
}

/// A provider's document inside a proxy's.
fn document_inside(document: &Value) -> Option<Value> {
    const PLACES: [&str; 6] =
        ["/error/metadata/raw", "/error/message", "/message", "/error", "/detail", "/response/error"];
    PLACES.iter().filter_map(|place| document.pointer(place)).find_map(|inner| document_in(inner.as_str()?))
}

/// Whether `event`, a part of an answer, reports an error.
pub(super) fn is_error_event(event: &Value) -> bool {
    let Some(fields) = event.as_object() else { return false };
    fields.iter().any(|(name, value)| {
        (name == "error" && !value.is_null()) || name.ends_with("Exception") || name == "__type"
    }) || event.get("type").is_some_and(|kind| kind == "error" || kind == "response.failed")
        || event.pointer("/response/error").is_some_and(|error| !error.is_null())
}
