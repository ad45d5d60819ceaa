//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::http::Reply;
use super::{RECEIVED, SENT, Turn, offers};

/// Answers a request; `id` counts the answer.
pub(super) fn answer(
    path: &str,
    body: &Value,
    id: impl FnOnce() -> String,
    turn: impl Fn(usize) -> Turn,
) -> Reply {
    let messages = body.get("contents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let parts = messages.iter().filter_map(|message| message.get("parts")?.as_array()).flatten();
    let results = parts.filter(|part| part.get("functionResponse").is_some()).count();
    let part = match turn(results) {
        Turn::Call(_, wanted) if offers(body, wanted.tool) => {
            json!({"functionCall": {"name": wanted.tool, "args": wanted.arguments}})
        }
        _ => json!({"text": "Done."}),
    };
    drop(id());
    let content = json!({"role": "model", "parts": [part]});
    let reply = json!({
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": SENT, "candidatesTokenCount": RECEIVED, "totalTokenCount": SENT + RECEIVED},
    });
    if path.contains(":stream") { Reply::stream([reply]) } else { Reply::json(&reply) }
}
