//! OpenAI's Responses.

use serde_json::{Value, json};

use super::http::Reply;
use super::{RECEIVED, SENT, Turn, count};

/// Answers a request.
pub(super) fn answer(body: &Value, id: &str, turn: impl Fn(usize) -> Turn) -> Reply {
    let input = body.get("input").unwrap_or(&Value::Null);
    let results = ["function_call_output", "custom_tool_call_output"].map(|kind| count(input, "type", kind));
    let item = match turn(results.iter().sum()) {
        // A tool that takes a text has its own form of call.
        Turn::Call(number, wanted) if wanted.arguments.is_string() => json!({
            "type": "custom_tool_call", "id": format!("ctc_{number}"), "call_id": format!("call_{number}"),
            "name": wanted.tool, "input": wanted.arguments,
        }),
        Turn::Call(number, wanted) => json!({
            "type": "function_call", "id": format!("fc_{number}"), "call_id": format!("call_{number}"),
            "name": wanted.tool, "arguments": wanted.arguments.to_string(),
        }),
        Turn::Done => json!({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
        }),
    };
    let usage = json!({"input_tokens": SENT, "output_tokens": RECEIVED, "total_tokens": SENT + RECEIVED});
    Reply::stream([
        json!({"type": "response.created", "response": {"id": format!("resp_{id}")}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": format!("resp_{id}"), "output": [item], "usage": usage}}),
    ])
}
