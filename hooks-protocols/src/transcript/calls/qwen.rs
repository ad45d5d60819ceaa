//! Tool calls of Qwen Code: parts of messages. Each line names its session and folder.

use serde_json::Value;

use super::{TranscriptCall, TranscriptEnd, TranscriptStep, arguments, items, payload};
use crate::transcript::{text, time};

pub(super) fn read(line: &Value) -> Vec<TranscriptStep> {
    match text(line, "type") {
        "assistant" => {
            let calls = items(line, "/message/parts").filter_map(|part| part.get("functionCall"));
            calls.map(|call| called(line, call)).collect()
        }
        "tool_result" => {
            let result = line.get("toolCallResult").unwrap_or(&Value::Null);
            let is_denied = text(result, "errorType") == "execution_denied";
            let id = text(result, "callId").to_owned();
            vec![TranscriptStep::Ended(TranscriptEnd { id, at: time(line), is_denied })]
        }
        _ => Vec::new(),
    }
}

fn called(line: &Value, call: &Value) -> TranscriptStep {
    let id = text(call, "id");
    let place =
        [("session_id", text(line, "sessionId")), ("cwd", text(line, "cwd")), ("tool_use_id", id), ("", "")];
    TranscriptStep::Called(TranscriptCall {
        id: id.to_owned(),
        at: time(line),
        event: "PreToolUse",
        payload: payload("PreToolUse", place, text(call, "name"), arguments(call, "args")),
    })
}
