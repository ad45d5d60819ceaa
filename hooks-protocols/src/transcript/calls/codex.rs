//! Tool calls of Codex CLI. Its hooks receive some tools under other names than the model calls them.

use serde_json::{Value, json};

use super::{FileFacts, TranscriptCall, TranscriptEnd, TranscriptStep, payload};
use crate::transcript::{text, time};

pub(super) fn read(line: &Value, place: &mut FileFacts) -> Vec<TranscriptStep> {
    let Some(body) = line.get("payload") else { return Vec::new() };
    let step = match text(line, "type") {
        "session_meta" => {
            // Subagents have a file each, and the session of their parent.
            text(body, "session_id").clone_into(&mut place.session);
            text(body, "cwd").clone_into(&mut place.cwd);
            let id = text(body, "id");
            place.agent = if id == place.session { String::new() } else { id.to_owned() };
            None
        }
        "turn_context" => {
            text(body, "cwd").clone_into(&mut place.cwd);
            None
        }
        "response_item" => match text(body, "type") {
            "function_call" | "custom_tool_call" => called(line, body, place),
            "function_call_output" | "custom_tool_call_output" => ended(line, body),
            _ => None,
        },
        _ => None,
    };
    step.into_iter().collect()
}

fn called(line: &Value, body: &Value, place: &FileFacts) -> Option<TranscriptStep> {
    let (id, name) = (text(body, "call_id"), text(body, "name"));
    let given = || serde_json::from_str(text(body, "arguments")).unwrap_or_else(|_| json!({}));
    let (tool, arguments) = match name {
        "exec_command" => {
            let given: Value = given();
            ("Bash".to_owned(), json!({"command": given.get("cmd").cloned().unwrap_or_default()}))
        }
        "apply_patch" => ("apply_patch".to_owned(), json!({"command": text(body, "input")})),
        // No event is fired for it.
        "write_stdin" => return None,
        "spawn_agent" => (name.to_owned(), given()),
        _ => (format!("{}{name}", text(body, "namespace")), given()),
    };
    let fields = [
        ("session_id", &*place.session),
        ("cwd", &*place.cwd),
        ("tool_use_id", id),
        ("agent_id", &*place.agent),
    ];
    Some(TranscriptStep::Called(TranscriptCall {
        id: id.to_owned(),
        at: time(line),
        event: "PreToolUse",
        payload: payload("PreToolUse", fields, &tool, arguments),
    }))
}

fn ended(line: &Value, body: &Value) -> Option<TranscriptStep> {
    let is_denied = text(body, "output").starts_with("Command blocked by PreToolUse hook");
    Some(TranscriptStep::Ended(TranscriptEnd {
        id: text(body, "call_id").to_owned(),
        at: time(line),
        is_denied,
    }))
}
