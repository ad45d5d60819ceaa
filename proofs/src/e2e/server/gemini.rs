//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::http::Reply;
use super::{Numbered, Turn, offers};

/// Answers a request; `next` counts the answer.
pub(super) fn answer(
    path: &str,
    body: &Value,
    next: impl FnOnce() -> Numbered,
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
    let Numbered { tokens, .. } = next();
    let content = json!({"role": "model", "parts": [part]});
    let reply = json!({
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {
            "promptTokenCount": tokens.sent, "candidatesTokenCount": tokens.received, "totalTokenCount": tokens.total(),
            "cachedContentTokenCount": tokens.cached,
        },
    });
    if path.contains(":stream") { Reply::stream([reply]) } else { Reply::json(&reply) }
}
