//! Anthropic's Messages.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Numbered, Turn, count, offers};

/// Answers a request; `next` counts the answer.
pub(super) fn answer(
    path: &str,
    body: &Value,
    next: impl FnOnce() -> Numbered,
    turn: impl Fn(usize) -> Turn,
) -> Reply {
    if path.contains("count_tokens") {
        return Reply::json(&json!({"input_tokens": 1}));
    }
    let messages = body.get("messages").unwrap_or(&Value::Null);
    let turn = turn(count(messages, "type", "tool_result"));
    let Numbered { id, tokens } = next();
    let (block, delta, reason) = match turn {
        // Requests for a title or a summary offer no tools.
        Turn::Call(number, wanted) if offers(body, wanted.tool) => (
            json!({"type": "tool_use", "id": format!("toolu_{id}_{number}"), "name": wanted.tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": wanted.arguments.to_string()}),
            "tool_use",
        ),
        _ => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "Done."}), "end_turn")
        }
    };
    // Tokens of the cache are no part of `input_tokens` here.
    let usage = json!({
        "input_tokens": tokens.sent.saturating_sub(tokens.cached).saturating_sub(tokens.written),
        "cache_read_input_tokens": tokens.cached, "cache_creation_input_tokens": tokens.written, "output_tokens": 1,
    });
    let message = json!({
        "id": format!("msg_{id}"), "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let end = json!({"stop_reason": reason, "stop_sequence": null});
    Reply::stream([
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": tokens.received}}),
        json!({"type": "message_stop"}),
    ])
}
