//! Anthropic's Messages.

use serde_json::{Value, json};

use super::http::Reply;
use super::{RECEIVED, SENT, Turn, count, offers};

/// Answers a request; `id` counts the answer.
pub(super) fn answer(
    path: &str,
    body: &Value,
    id: impl FnOnce() -> String,
    turn: impl Fn(usize) -> Turn,
) -> Reply {
    if path.contains("count_tokens") {
        return Reply::json(&json!({"input_tokens": 1}));
    }
    let messages = body.get("messages").unwrap_or(&Value::Null);
    let turn = turn(count(messages, "type", "tool_result"));
    let (block, delta, reason) = match turn {
        // Requests for a title or a summary offer no tools.
        Turn::Call(number, wanted) if offers(body, wanted.tool) => (
            json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": wanted.tool, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": wanted.arguments.to_string()}),
            "tool_use",
        ),
        _ => {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "Done."}), "end_turn")
        }
    };
    let message = json!({
        "id": format!("msg_{}", id()), "type": "message", "role": "assistant", "model": body.get("model"), "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": SENT, "output_tokens": 1},
    });
    let end = json!({"stop_reason": reason, "stop_sequence": null});
    Reply::stream([
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": RECEIVED}}),
        json!({"type": "message_stop"}),
    ])
}
