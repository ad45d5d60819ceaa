//! Values that are written in another way by a client than by our events.

use hooks_core::event::Message;
use serde_json::{Map, Value, json};

/// The text of an error: a text, or an object with a message.
pub(crate) fn error_text(value: &Value) -> Option<Value> {
    match value {
        Value::String(_) => Some(value.clone()),
        Value::Object(map) => Some(map.get("message").filter(|text| text.is_string())?.clone()),
        _ => None,
    }
}

/// For what is read and stays where it is.
pub(crate) fn never(_: Value) -> Option<Value> {
    None
}

/// For what is the same on both sides.
pub(crate) fn same(value: Value) -> Option<Value> {
    Some(value)
}

/// Several messages of a user as one.
pub(crate) fn joined_texts(value: &Value) -> Option<Value> {
    let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    Some(texts?.join("\n\n").into())
}

/// One message of a user as several.
pub(crate) fn one_text(value: Value) -> Option<Value> {
    value.is_string().then(|| Value::Array(vec![value]))
}

/// A reply of a model that is text.
pub(crate) fn to_reply(value: &Value) -> Option<Value> {
    Some(message("assistant", value.as_str()?.into()))
}

/// The text of a model's reply.
pub(crate) fn from_reply(mut value: Value) -> Option<Value> {
    value.get_mut("content").map(Value::take).filter(Value::is_string)
}

/// Gemini's reply: its text where it has any.
pub(crate) fn from_gemini_reply(value: &Value) -> Option<Value> {
    let text = value.get("text").and_then(Value::as_str).filter(|text| !text.is_empty());
    let candidates = || value.get("candidates").cloned().unwrap_or_default();
    Some(message("assistant", text.map_or_else(candidates, Value::from)))
}

/// Gemini's count of tokens.
pub(crate) fn from_gemini_usage(value: &Value) -> Option<Value> {
    let count = |key: &str| value.get(key).and_then(Value::as_u64).unwrap_or_default();
    Some(json!({
        "input_tokens": count("promptTokenCount"),
        "output_tokens": count("candidatesTokenCount"),
        "cached_tokens": count("cachedContentTokenCount"),
        "reasoning_tokens": count("thoughtsTokenCount"),
    }))
}

/// Gemini's messages, in which the model is called so.
pub(crate) fn from_gemini_messages(value: &Value) -> Option<Value> {
    messages(value.clone(), |role| match role {
        "user" => Some("user"),
        "model" => Some("assistant"),
        "system" => Some("system"),
        _ => None,
    })
}

/// Messages as Gemini has them.
pub(crate) fn to_gemini_messages(value: Value) -> Option<Value> {
    messages(value, |role| match role {
        "user" | "tool" => Some("user"),
        "assistant" => Some("model"),
        "system" => Some("system"),
        _ => None,
    })
}

/// Messages in the roles that all chat protocols share.
pub(crate) fn from_chat_messages(value: &Value) -> Option<Value> {
    messages(value.clone(), |role| match role {
        "system" | "developer" => Some("system"),
        "user" => Some("user"),
        "assistant" => Some("assistant"),
        "tool" => Some("tool"),
        _ => None,
    })
}

/// Role and content of every message; `None` where one of them has another role.
fn messages(value: Value, role: impl Fn(&str) -> Option<&'static str>) -> Option<Value> {
    let Value::Array(messages) = value else { return None };
    let each = messages.into_iter().map(|mut sent| {
        let role = role(sent.get("role")?.as_str()?)?;
        Some(message(role, sent.get_mut("content").map(Value::take).unwrap_or_default()))
    });
    each.collect::<Option<Vec<_>>>().map(Value::Array)
}

/// One message. Its content can be long: `json!` would copy it.
fn message(role: &str, content: Value) -> Value {
    Value::Object(Map::from_iter([("role".to_owned(), role.into()), ("content".to_owned(), content)]))
}

/// Changed messages with what the client's own have beside role and content (calls, names), where there are as many as
/// before and each has its role.
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

/// A cost in dollars, in millionths.
pub(crate) fn from_dollars(value: &Value) -> Option<Value> {
    let millionths = (value.as_f64()? * 1_000_000.0).round();
    (millionths >= 0.0).then(|| (millionths as u64).into())
}

/// Yes or no.
pub(crate) fn flag(value: &Value) -> Option<Value> {
    value.is_boolean().then(|| value.clone())
}

/// A list of texts.
pub(crate) fn texts(value: &Value) -> Option<Value> {
    value.as_array()?.iter().all(Value::is_string).then(|| value.clone())
}

/// Millionths of a dollar, in dollars.
#[expect(clippy::needless_pass_by_value, reason = "as all that write a field")]
pub(crate) fn to_dollars(value: Value) -> Option<Value> {
    Some(json!(value.as_u64()? as f64 / 1_000_000.0))
}

/// Who settled an approval, by the beginning of docker-agent's word for it.
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

/// The first of several texts.
pub(crate) fn first_text(value: &Value) -> Option<Value> {
    value.as_array()?.first().filter(|text| text.is_string()).cloned()
}
