//! Google, Gemini and Vertex alike: `{"error": {"code", "message", "status", "details": […]}}`.

use serde_json::Value;

use super::codes::{self, Codes};
use super::{ErrorReply, Finding};
use crate::error::ErrorKind;

const STATUSES: Codes = &[
    ("invalidargument", ErrorKind::InvalidRequest),
    ("failedprecondition", ErrorKind::InvalidRequest),
    ("outofrange", ErrorKind::InvalidRequest),
    ("unimplemented", ErrorKind::InvalidRequest),
    ("alreadyexists", ErrorKind::InvalidRequest),
    ("unauthenticated", ErrorKind::Authentication),
    ("permissiondenied", ErrorKind::Permission),
    ("notfound", ErrorKind::ModelUnavailable),
    ("resourceexhausted", ErrorKind::RateLimited),
    ("unavailable", ErrorKind::Overloaded),
    ("deadlineexceeded", ErrorKind::AttemptTimeout),
    ("internal", ErrorKind::Server),
    ("unknown", ErrorKind::Server),
    ("dataloss", ErrorKind::Server),
    ("aborted", ErrorKind::Server),
    ("cancelled", ErrorKind::Network),
];

/// The reasons of `ErrorInfo`.
const REASONS: Codes = &[
    ("apikeyinvalid", ErrorKind::Authentication),
    ("apikeyexpired", ErrorKind::Authentication),
    ("accesstokenexpired", ErrorKind::Authentication),
    ("accesstokentypeunsupported", ErrorKind::Authentication),
    ("credentialsmissing", ErrorKind::Authentication),
    ("billingdisabled", ErrorKind::QuotaExhausted),
    ("ratelimitexceeded", ErrorKind::RateLimited),
    ("servicedisabled", ErrorKind::Permission),
    ("consumersuspended", ErrorKind::Permission),
    ("iampermissiondenied", ErrorKind::Permission),
];

/// Reads an error of Google. The details are more specific than the status: they name an invalid key, and
/// whether a quota counts minutes or days. A short `retryDelay` comes with both kinds of quota.
pub fn google(reply: &ErrorReply<'_>) -> Option<Finding> {
    let status = reply.field("/error/status")?;
    let message = reply.field("/error/message").unwrap_or_default();
    let kind = codes::lookup(STATUSES, status);
    let empty = Vec::new();
    let details = reply.json().pointer("/error/details").and_then(Value::as_array).unwrap_or(&empty);
    let reason = details.iter().filter_map(|detail| detail.get("reason").and_then(Value::as_str));
    let reason = reason.take(DETAILS).find_map(|reason| codes::lookup(REASONS, reason));
    let kind = reason.or(kind);
    if kind == Some(ErrorKind::RateLimited) && details.iter().take(DETAILS).any(is_of_days) {
        return Some(Finding::new(ErrorKind::QuotaExhausted, message));
    }
    Some(reply.finding(kind, message))
}

/// The most details that are read.
const DETAILS: usize = 32;

/// Whether a detail names a quota of a day or longer.
fn is_of_days(detail: &Value) -> bool {
    let violations = detail.get("violations").and_then(Value::as_array);
    let ids = violations.into_iter().flatten().take(DETAILS).filter_map(|violation| {
        violation.get("quotaId").or_else(|| violation.get("subject")).and_then(Value::as_str)
    });
    ids.into_iter().any(|id| ["PerDay", "PerWeek", "PerMonth"].iter().any(|period| id.contains(period)))
}
