//! Unknown providers: any field that looks like a code, the status, and the message.

use serde_json::Value;

use super::codes::{self, SHARED};
use super::{ErrorReply, Finding, status};
use crate::error::ErrorKind;

/// Reads any reply; the result is at least [`ErrorKind::Unknown`].
pub fn generic(reply: &ErrorReply<'_>) -> Finding {
    const CODES: [&str; 8] =
        ["/error/code", "/error/type", "/code", "/type", "/error_code", "/error", "/title", "/status"];
    const MESSAGES: [&str; 7] = [
        "/error/message",
        "/message",
        "/error",
        "/detail",
        "/error_description",
        "/msg",
        "/errors/0/message",
    ];
    let kind = CODES.iter().filter_map(|place| reply.json().pointer(place)).find_map(kind_of);
    let message = MESSAGES.iter().find_map(|place| reply.field(place)).unwrap_or_else(|| plain(reply.text()));
    reply.finding(kind, message)
}

/// The kind of a code: a word or a status.
fn kind_of(code: &Value) -> Option<ErrorKind> {
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    match number {
        Some(number) => u16::try_from(number).ok().filter(|n| (400..600).contains(n)).map(status::kind),
        None => codes::lookup(SHARED, code.as_str()?),
    }
}

/// The body, if it is plain text: no JSON and no web page.
fn plain(text: &str) -> &str {
    let text = text.trim();
    if text.starts_with(['<', '{', '[']) { "" } else { text }
}
