//! OpenAI's Responses.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Numbered, Turn, count, plan};

/// Answers a request.
pub(super) fn answer(
    body: &Value,
    Numbered { id, tokens }: &Numbered,
    turn: impl Fn(usize) -> Turn,
) -> Reply {
    let input = body.get("input").unwrap_or(&Value::Null);
    let results = ["function_call_output", "custom_tool_call_output"].map(|kind| count(input, "type", kind));
    let item = match turn(results.iter().sum()) {
        // A tool that takes a text has its own form of call.
        Turn::Call(number, wanted) if wanted.arguments.is_string() => json!({
            "type": "custom_tool_call", "id": format!("ctc_{id}_{number}"), "call_id": format!("call_{id}_{number}"),
            "name": wanted.tool, "input": wanted.arguments,
        }),
        Turn::Call(number, wanted) => json!({
            "type": "function_call", "id": format!("fc_{id}_{number}"), "call_id": format!("call_{id}_{number}"),
            "name": wanted.tool, "namespace": plan::namespace(body, wanted.tool), "arguments": wanted.arguments.to_string(),
        }),
        Turn::Done => json!({
            "type": "message", "id": format!("msg_{id}"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": "Done.", "annotations": []}],
        }),
    };
    let usage = json!({
        "input_tokens": tokens.sent, "output_tokens": tokens.received, "total_tokens": tokens.total(),
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens_details": {"reasoning_tokens": tokens.thought},
    });
    Reply::stream([
        json!({"type": "response.created", "response": {"id": format!("resp_{id}")}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": format!("resp_{id}"), "output": [item], "usage": usage}}),
    ])
}
