//! Azure: OpenAI's shape with codes of its own, an `innererror`, and a gateway in front that answers
//! `{"statusCode", "message"}`.

use serde_json::Value;

use super::codes::{self, Codes};
use super::{ErrorReply, Finding};
use crate::error::ErrorKind;

const CODES: Codes = &[
    ("contentfilter", ErrorKind::ContentFilter),
    ("responsibleaipolicyviolation", ErrorKind::ContentFilter),
    ("deploymentnotfound", ErrorKind::ModelUnavailable),
    ("resourcenotfound", ErrorKind::ModelUnavailable),
    ("modelnotfound", ErrorKind::ModelUnavailable),
    ("nocapacity", ErrorKind::Overloaded),
    ("serviceunavailable", ErrorKind::Overloaded),
    ("ratelimitreached", ErrorKind::RateLimited),
    ("toomanyrequests", ErrorKind::RateLimited),
    ("insufficientquota", ErrorKind::QuotaExhausted),
    ("quotaexceeded", ErrorKind::QuotaExhausted),
    ("invalidsubscriptionkey", ErrorKind::Authentication),
    ("unauthorized", ErrorKind::Authentication),
    ("accessdenied", ErrorKind::Authentication),
    ("permissiondenied", ErrorKind::Permission),
    ("authenticationtypedisabled", ErrorKind::Authentication),
    ("internalservererror", ErrorKind::Server),
    ("operationnotsupported", ErrorKind::InvalidRequest),
];

/// Reads an error of Azure.
pub fn azure(reply: &ErrorReply<'_>) -> Option<Finding> {
    let document = reply.json();
    if let Some(status) = document.get("statusCode").and_then(Value::as_u64) {
        let status = u16::try_from(status).ok().filter(|status| *status >= 400)?;
        return Some(
            reply.finding(Some(super::status::kind(status)), reply.field("/message").unwrap_or_default()),
        );
    }
    let own = ["apim-request-id", "x-ms-region", "azureml-model-session", "x-ms-client-request-id"];
    let inner = ["/error/innererror/code", "/error/inner_error/code"].iter().find_map(|at| reply.field(at));
    if inner.is_none() && !own.iter().any(|name| reply.header(name).is_some()) {
        return None;
    }
    // The inner code is the more specific one.
    let kind =
        [inner, reply.field("/error/code")].into_iter().flatten().find_map(|code| codes::lookup(CODES, code));
    Some(reply.finding(Some(kind?), reply.field("/error/message").unwrap_or_default()))
}
