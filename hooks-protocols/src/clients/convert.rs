//! Conversions between values of clients and values of our events.

use hooks_core::event::Message;
use serde_json::{Map, Value, json};

/// The text of an error, which is a string or an object with a `message`.
pub(crate) fn error_text(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Object(map) => Some(map.get("message").filter(|text| text.is_string())?.clone()),
        _ => None,
    }
}

/// The writer of values that are read only: they stay in the payload where they are.
pub(crate) fn never(_: Value) -> Option<Value> {
    None
}

/// The reader of values that are written only.
pub(crate) fn nothing(_: &Value) -> Option<Value> {
    None
}

/// The message about a limit on iterations.
#[expect(clippy::needless_pass_by_value, reason = "as all that write a field")]
pub(crate) fn limit_message(limit: Value) -> Option<Value> {
    let limit = limit.as_u64().filter(|limit| *limit > 0)?;
    Some(format!("the limit of {limit} iterations is reached").into())
}

/// The writer of values that are the same on both sides.
pub(crate) fn same(value: Value) -> Option<Value> {
    Some(value)
}

/// Joins several messages of a user.
pub(crate) fn joined_texts(value: &Value) -> Option<Value> {
    let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    Some(texts?.join("\n\n").into())
}

/// Wraps the message of a user in a list.
pub(crate) fn one_text(value: Value) -> Option<Value> {
    value.is_string().then(|| Value::Array(vec![value]))
}

/// Converts the text of a model's reply into a message.
pub(crate) fn to_reply(value: &Value) -> Option<Value> {
    Some(message("assistant", value.as_str()?.into()))
}

/// The text of a model's reply.
pub(crate) fn from_reply(mut value: Value) -> Option<Value> {
    value.get_mut("content").map(Value::take).filter(Value::is_string)
}

/// Converts Gemini's reply: its text, or its candidates if it has no text.
pub(crate) fn from_gemini_reply(value: &Value) -> Option<Value> {
    let text = value.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
    let candidates = || value.get("candidates").cloned().unwrap_or_default();
    Some(message("assistant", text.map_or_else(candidates, Value::from)))
}

/// Converts Gemini's token counts.
pub(crate) fn from_gemini_usage(value: &Value) -> Option<Value> {
    let count = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or_default();
    Some(json!({
        "input_tokens": count("promptTokenCount"),
        "output_tokens": count("candidatesTokenCount"),
        "cached_tokens": count("cachedContentTokenCount"),
        "reasoning_tokens": count("thoughtsTokenCount"),
    }))
}

/// Converts messages from Gemini, which calls the role of the assistant `model`.
pub(crate) fn from_gemini_messages(value: &Value) -> Option<Value> {
    messages(value.clone(), |role| match role {
        "user" => Some("user"),
        "model" => Some("assistant"),
        "system" => Some("system"),
        _ => None,
    })
}

/// Converts messages to Gemini's roles.
pub(crate) fn to_gemini_messages(value: Value) -> Option<Value> {
    messages(value, |role| match role {
        "user" | "tool" => Some("user"),
        "assistant" => Some("model"),
        "system" => Some("system"),
        _ => None,
    })
}

/// Converts messages that use the roles of the usual chat protocols.
pub(crate) fn from_chat_messages(value: &Value) -> Option<Value> {
    messages(value.clone(), |role| match role {
        "system" | "developer" => Some("system"),
        "user" => Some("user"),
        "assistant" => Some("assistant"),
        "tool" => Some("tool"),
        _ => None,
    })
}

/// Role and content of every message; `None` if a message has an unknown role.
fn messages(value: Value, role: impl Fn(&str) -> Option<&'static str>) -> Option<Value> {
    let Value::Array(messages) = value else { return None };
    let each = messages.into_iter().map(|mut sent| {
        let role = role(sent.get("role")?.as_str()?)?;
        Some(message(role, sent.get_mut("content").map(Value::take).unwrap_or_default()))
    });
    each.collect::<Option<Vec<_>>>().map(Value::Array)
}

/// Builds a message. `json!` is not used, as it would copy the content, which can be long.
fn message(role: &str, content: Value) -> Value {
    Value::Object(Map::from_iter([("role".to_owned(), role.into()), ("content".to_owned(), content)]))
}

/// Merges changed messages into the client's own, which have more fields than role and content (calls,
/// names). The other fields of a message are kept only if the number of messages and the role are unchanged.
pub(crate) fn overlay_messages(changed: &[Message], sent: Option<&[Value]>) -> Value {
    let sent = sent.filter(|sent| sent.len() == changed.len()).unwrap_or_default();
    let message = |(at, message): (usize, &Message)| {
        let role = serde_json::to_value(message.role).unwrap_or_default();
        let before = sent.get(at).filter(|before| before.get("role") == Some(&role));
        let mut fields = before.and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
        fields.insert("role".to_owned(), role);
        fields.insert("content".to_owned(), message.content.clone());
        Value::Object(fields)
    };
    changed.iter().enumerate().map(message).collect()
}

/// Converts dollars to millionths of a dollar.
pub(crate) fn from_dollars(value: &Value) -> Option<Value> {
    let millionths = (value.as_f64()? * 1_000_000.0).round();
    (millionths >= 0.0).then(|| (millionths as u64).into())
}

/// A boolean.
pub(crate) fn flag(value: &Value) -> Option<Value> {
    value.is_boolean().then(|| value.clone())
}

/// A list of strings.
pub(crate) fn texts(value: &Value) -> Option<Value> {
    value.as_array()?.iter().all(Value::is_string).then(|| value.clone())
}

/// Converts millionths of a dollar to dollars.
#[expect(clippy::needless_pass_by_value, reason = "as all that write a field")]
pub(crate) fn to_dollars(value: Value) -> Option<Value> {
    Some(json!(value.as_u64()? as f64 / 1_000_000.0))
}

/// The party that settled an approval, derived from the form of docker-agent's `approval_source`.
pub(crate) fn approval_source(value: &Value) -> Option<Value> {
    let source = value.as_str()?;
    let ours = if source.starts_with("permission_request") {
        "permission_hook"
    } else if source.contains("hook") {
        "hooks"
    } else if source.starts_with("user") {
        "approver"
    } else {
        "settled"
    };
    Some(ours.into())
}

/// The first string of a list.
pub(crate) fn first_text(value: &Value) -> Option<Value> {
    value.as_array()?.first().filter(|text| text.is_string()).cloned()
}
