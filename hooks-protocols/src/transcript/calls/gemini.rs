//! Tool calls of Gemini CLI. A message has its calls once they ended, and may be written several times.

use serde_json::Value;

use super::{FileFacts, TranscriptCall, TranscriptEnd, TranscriptStep, arguments, items, payload};
use crate::transcript::{text, time};

pub(super) fn read(line: &Value, place: &mut FileFacts) -> Vec<TranscriptStep> {
    if line.get("projectHash").is_some() {
        text(line, "sessionId").clone_into(&mut place.session);
        if let Some(folder) = items(line, "/directories").find_map(Value::as_str) {
            folder.clone_into(&mut place.cwd);
        }
    }
    // A resumption repeats the whole history.
    let messages = std::iter::once(line).chain(items(line, "/$set/messages"));
    messages
        .flat_map(|message| items(message, "/toolCalls").flat_map(|call| steps(message, call, place)))
        .collect()
}

fn steps(message: &Value, call: &Value, place: &FileFacts) -> Vec<TranscriptStep> {
    let id = text(call, "id");
    let error = items(call, "/result").find_map(|part| part.pointer("/functionResponse/response/error"));
    let error = error.and_then(Value::as_str).unwrap_or_default();
    let has_failed = text(call, "status") == "error";
    // Arguments that do not fit the tool are refused before the hooks are asked.
    if id.is_empty() || (has_failed && (error.starts_with("params/") || error.starts_with("params must "))) {
        return Vec::new();
    }
    let fields = [
        ("session_id", &*place.session),
        ("cwd", &*place.cwd),
        ("timestamp", text(message, "timestamp")),
        ("", ""),
    ];
    let is_denied = has_failed && error.starts_with("Tool execution blocked");
    vec![
        TranscriptStep::Called(TranscriptCall {
            id: id.to_owned(),
            at: time(message),
            event: "BeforeTool",
            payload: payload("BeforeTool", fields, text(call, "name"), arguments(call, "args")),
        }),
        TranscriptStep::Ended(TranscriptEnd { id: id.to_owned(), at: time(call), is_denied }),
    ]
}
