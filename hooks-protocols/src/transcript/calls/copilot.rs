//! Tool calls of Copilot CLI, those of subagents among them. Payloads of its hooks have no ids of calls.

use serde_json::{Value, json};

use super::{FileFacts, TranscriptCall, TranscriptEnd, TranscriptStep, arguments};
use crate::transcript::{text, time};

pub(super) fn read(line: &Value, place: &mut FileFacts) -> Vec<TranscriptStep> {
    let Some(data) = line.get("data") else { return Vec::new() };
    let id = || text(data, "toolCallId").to_owned();
    let step = match text(line, "type") {
        "session.start" | "session.resume" => {
            let session = text(data, "sessionId");
            if !session.is_empty() {
                session.clone_into(&mut place.session);
            }
            text(data.get("context").unwrap_or(&Value::Null), "cwd").clone_into(&mut place.cwd);
            None
        }
        "tool.execution_start" => {
            let mut payload = json!({
                "sessionId": place.session,
                "toolName": text(data, "toolName"),
                "toolArgs": arguments(data, "arguments"),
            });
            if let (false, Some(fields)) = (place.cwd.is_empty(), payload.as_object_mut()) {
                fields.insert("cwd".to_owned(), json!(place.cwd));
            }
            Some(TranscriptStep::Called(TranscriptCall {
                id: id(),
                at: time(line),
                event: "preToolUse",
                payload,
            }))
        }
        "tool.execution_complete" => {
            let is_denied = data.get("error").is_some_and(|error| text(error, "code") == "denied");
            Some(TranscriptStep::Ended(TranscriptEnd { id: id(), at: time(line), is_denied }))
        }
        _ => None,
    };
    step.into_iter().collect()
}
