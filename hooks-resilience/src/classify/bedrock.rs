//! Amazon Bedrock: the exception's name in `x-amzn-errortype`, in `__type`, or, in a stream, as the key of a
//! frame.

use serde_json::Value;

use super::codes::{self, Codes};
use super::{ErrorReply, Finding};
use crate::error::ErrorKind;

const EXCEPTIONS: Codes = &[
    ("throttlingexception", ErrorKind::RateLimited),
    ("throttlederror", ErrorKind::RateLimited),
    ("toomanyrequestsexception", ErrorKind::RateLimited),
    ("requestlimitexceeded", ErrorKind::RateLimited),
    ("servicequotaexceededexception", ErrorKind::QuotaExhausted),
    ("limitexceededexception", ErrorKind::QuotaExhausted),
    // Sent with status 429, but not a limit: the model is still loading.
    ("modelnotreadyexception", ErrorKind::Overloaded),
    ("serviceunavailableexception", ErrorKind::Overloaded),
    ("serviceunavailable", ErrorKind::Overloaded),
    ("modeltimeoutexception", ErrorKind::AttemptTimeout),
    ("modelerrorexception", ErrorKind::Server),
    ("modelstreamerrorexception", ErrorKind::StreamBroken),
    ("internalserverexception", ErrorKind::Server),
    ("internalfailure", ErrorKind::Server),
    ("dependencyfailedexception", ErrorKind::Server),
    ("badgatewayexception", ErrorKind::Server),
    ("conflictexception", ErrorKind::Server),
    ("validationexception", ErrorKind::InvalidRequest),
    ("serializationexception", ErrorKind::InvalidRequest),
    ("accessdeniedexception", ErrorKind::Permission),
    ("optinrequired", ErrorKind::Permission),
    ("resourcenotfoundexception", ErrorKind::ModelUnavailable),
    ("unrecognizedclientexception", ErrorKind::Authentication),
    ("invalidsignatureexception", ErrorKind::Authentication),
    ("incompletesignatureexception", ErrorKind::Authentication),
    ("incompletesignature", ErrorKind::Authentication),
    ("signaturedoesnotmatch", ErrorKind::Authentication),
    ("missingauthenticationtokenexception", ErrorKind::Authentication),
    ("missingauthenticationtoken", ErrorKind::Authentication),
    ("expiredtokenexception", ErrorKind::Authentication),
    ("expiredtoken", ErrorKind::Authentication),
    ("invalidclienttokenid", ErrorKind::Authentication),
    ("notauthorized", ErrorKind::Authentication),
];

/// Reads an error of Bedrock. An exception of the model may wrap the model's own error, which counts if it is
/// known.
pub fn bedrock(reply: &ErrorReply<'_>) -> Option<Finding> {
    let document = reply.json();
    let named = reply
        .header("x-amzn-errortype")
        .or_else(|| ["/__type", "/:exception-type"].iter().find_map(|place| reply.field(place)));
    let (name, inside) = match named {
        Some(name) => (name, document),
        None => {
            let mut fields = document.as_object()?.iter().take(8);
            fields
                .find(|(name, _)| name.ends_with("Exception"))
                .map(|(name, inside)| (name.as_str(), inside))?
        }
    };
    // `com.amazon.coral.service#ThrottlingException`, `ThrottlingException:http://…`
    let name = name.rsplit('#').next().and_then(|name| name.split(':').next()).unwrap_or(name);
    let message =
        ["message", "Message", "originalMessage"].iter().find_map(|field| inside.get(field)?.as_str());
    let original = inside.get("originalStatusCode").and_then(Value::as_u64);
    let original = original.and_then(|status| u16::try_from(status).ok()).filter(|status| *status >= 400);
    let kind = match (codes::lookup(EXCEPTIONS, name), original) {
        (Some(ErrorKind::Server | ErrorKind::StreamBroken), Some(status)) => {
            Some(super::status::kind(status))
        }
        (kind, _) => kind,
    };
    Some(reply.finding(kind, message.unwrap_or_default()))
}
