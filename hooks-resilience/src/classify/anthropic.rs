//! Anthropic: `{"type": "error", "error": {"type": …, "message": …}}`, as an answer and as an event.

use super::codes::{self, Codes};
use super::{ErrorReply, Finding};
use crate::error::ErrorKind;

const TYPES: Codes = &[
    ("invalidrequesterror", ErrorKind::InvalidRequest),
    ("authenticationerror", ErrorKind::Authentication),
    ("billingerror", ErrorKind::QuotaExhausted),
    ("permissionerror", ErrorKind::Permission),
    ("notfounderror", ErrorKind::ModelUnavailable),
    ("conflicterror", ErrorKind::Server),
    ("requesttoolarge", ErrorKind::ContextOverflow),
    ("ratelimiterror", ErrorKind::RateLimited),
    ("apierror", ErrorKind::Server),
    ("timeouterror", ErrorKind::AttemptTimeout),
    ("overloadederror", ErrorKind::Overloaded),
];

/// Reads an error of Anthropic. Its type for invalid requests also covers a prompt that is too long, used-up
/// credit and a spend limit; the message decides which it is.
pub fn anthropic(reply: &ErrorReply<'_>) -> Option<Finding> {
    let (outer, kind) = (reply.field("/type")?, reply.field("/error/type")?);
    let message = reply.field("/error/message").unwrap_or_default();
    let kind = codes::lookup(TYPES, kind).or_else(|| codes::lookup(codes::SHARED, kind));
    (outer == "error").then(|| reply.finding(kind, message))
}
