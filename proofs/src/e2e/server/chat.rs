//! OpenAI's chat completions, streamed or whole.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Numbered, Turn, count, offers};

/// Answers a request.
pub(super) fn answer(
    body: &Value,
    Numbered { id, tokens }: &Numbered,
    turn: impl Fn(usize) -> Turn,
) -> Reply {
    let messages = body.get("messages").unwrap_or(&Value::Null);
    let (message, reason) = match turn(count(messages, "role", "tool")) {
        Turn::Call(number, wanted) if offers(body, wanted.tool) => {
            let function = json!({"name": wanted.tool, "arguments": wanted.arguments.to_string()});
            let call = json!({"index": 0, "id": format!("call_{id}_{number}"), "type": "function", "function": function});
            (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
        }
        _ => (json!({"role": "assistant", "content": "Done."}), "stop"),
    };
    let usage = json!({
        "prompt_tokens": tokens.sent, "completion_tokens": tokens.received, "total_tokens": tokens.total(),
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens_details": {"reasoning_tokens": tokens.thought},
    });
    let whole = |object: &str, key: &str, message: &Value, reason: Value| {
        let choice = json!({"index": 0, key: message, "finish_reason": reason});
        json!({
            "id": format!("chat_{id}"), "object": object, "model": body.get("model"), "created": 1, "choices": [choice],
            "usage": usage,
        })
    };
    if body.get("stream").and_then(Value::as_bool) != Some(true) {
        return Reply::json(&whole("chat.completion", "message", &message, reason.into()));
    }
    let chunk = |message: &Value, reason: Value| whole("chat.completion.chunk", "delta", message, reason);
    Reply::stream([chunk(&message, Value::Null), chunk(&json!({}), reason.into())]).closed()
}
