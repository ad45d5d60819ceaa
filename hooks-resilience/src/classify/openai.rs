//! OpenAI, and the many providers that imitate it: `{"error": {"message", "type", "param", "code"}}`; in a
//! stream also `{"type": "error", "code", "message"}` and
//! `{"type": "response.failed", "response": {"error": …}}`.

use serde_json::Value;

use super::codes::{self, SHARED};
use super::{ErrorReply, Finding};
use crate::error::ErrorKind;

/// Reads an error of OpenAI's shape. The code is more specific than the type, and both are more specific than
/// the status.
pub fn openai(reply: &ErrorReply<'_>) -> Option<Finding> {
    let places = ["/error", "/response/error", ""];
    let error =
        places.iter().filter_map(|place| reply.json().pointer(place)).find(|place| is_error(place))?;
    let text = |field: &str| error.get(field).and_then(Value::as_str);
    let message = text("message").unwrap_or_default();
    let (code, of_type) = (text("code"), text("type"));
    if code.is_some_and(|code| is_of_something_else(code, text("param"))) {
        return Some(Finding::new(ErrorKind::InvalidRequest, message));
    }
    let kind = [code, of_type].into_iter().flatten().find_map(|word| codes::lookup(SHARED, word));
    let kind = kind.or_else(|| numeric(error).map(super::status::kind));
    Some(reply.finding(kind, message))
}

/// Whether the value has the shape of an error: a message, and a code or a type.
fn is_error(error: &Value) -> bool {
    error.get("message").is_some_and(Value::is_string)
        && ["code", "type"].iter().any(|field| error.get(field).is_some())
}

/// A code that is a status, as number or as text.
fn numeric(error: &Value) -> Option<u16> {
    let code = error.get("code")?;
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (400..600).contains(status))
}

/// Whether the code concerns something missing or too long that is neither the model nor the conversation: a
/// mistake of the caller.
fn is_of_something_else(code: &str, param: Option<&str>) -> bool {
    match code {
        "string_above_max_length" => param.is_some_and(|param| {
            !["messages", "input", "instructions", "prompt"].iter().any(|whole| param.starts_with(whole))
        }),
        _ => {
            code.ends_with("_not_found")
                && !["model", "deployment", "engine"].iter().any(|word| code.starts_with(word))
        }
    }
}
