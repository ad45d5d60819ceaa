//! The meaning of a payload according to another parser than the tested one.

use hooks::event::{EventKind, WireEvent};
use hooks_protocols::{Client, Decoded};
use serde_json::{Value, json};

use super::cases::Case;
use crate::strict_json;

/// Parses an object without duplicate keys; `None` if two parsers could read the bytes differently.
pub(super) fn read(sent: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(sent).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    strict_json::read(text.as_bytes()).ok().filter(Value::is_object)
}

/// The fields of the payload, without the envelope of the Copilot SDK.
fn fields<'a>(case: &Case, meant: &'a Value) -> &'a Value {
    if case.client != Client::CopilotSdk {
        return meant;
    }
    let message = meant.get("params").filter(|params| params.is_object()).unwrap_or(meant);
    message.get("input").filter(|input| input.is_object()).unwrap_or(message)
}

/// The tool and the arguments of a call, as the client's documentation describes them.
fn call(case: &Case, meant: &Value) -> Option<(String, Value)> {
    let fields = fields(case, meant);
    let of = |tool: &str, arguments: &str| {
        let arguments = fields.get(arguments).cloned().unwrap_or_default();
        Some((fields.get(tool)?.as_str()?.to_owned(), arguments))
    };
    let is_camel = case.event.starts_with(|c: char| c.is_ascii_lowercase());
    match (case.client, case.event) {
        (Client::Cursor, "beforeShellExecution") => {
            let command = fields.get("command").filter(|command| command.is_string());
            let arguments = command.map_or(Value::Null, |command| json!({ "command": command }));
            Some(("Shell".to_owned(), arguments))
        }
        (Client::Cursor, "beforeMCPExecution") => {
            let (tool, arguments) = of("tool_name", "tool_input")?;
            let inner = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
            Some((tool, inner.unwrap_or(arguments)))
        }
        (Client::Cursor, "beforeReadFile" | "beforeTabFileRead") => {
            let path = fields.get("file_path");
            Some(("Read".to_owned(), path.map_or(Value::Null, |path| json!({ "file_path": path }))))
        }
        // The result that the client lets a hook replace is that of the last call.
        (Client::Qwen, "PostToolBatch") => {
            let last = fields.get("tool_calls")?.as_array()?.last()?;
            let arguments = last.get("tool_input").cloned().unwrap_or_default();
            Some((last.get("tool_name")?.as_str()?.to_owned(), arguments))
        }
        (Client::Squad, "preTool" | "postTool") | (_, "preMcpToolCall") => of("toolName", "arguments"),
        (Client::Copilot, "permissionRequest" | "PermissionRequest")
        | (Client::CopilotSdk, "permissionRequest") => of("toolName", "toolInput"),
        (Client::CopilotSdk | Client::Squad, _) => of("toolName", "toolArgs"),
        (Client::Copilot, _) if is_camel => of("toolName", "toolArgs"),
        _ => of("tool_name", "tool_input"),
    }
}

/// Whether the call runs the forbidden command with the tool that runs commands.
pub(super) fn is_forbidden(case: &Case, meant: &Value, forbidden: &str) -> bool {
    if case.kind != EventKind::PreToolUse {
        return false;
    }
    let Some((tool, arguments)) = call(case, meant) else { return false };
    let runs =
        ["Bash", "bash", "run_shell_command", "runTerminalCommand", "Shell", "shell"].contains(&&*tool);
    let commands = ["command", "cmd"].iter().filter_map(|key| arguments.get(key));
    runs && commands.filter_map(Value::as_str).any(|command| command == forbidden)
}

/// Checks that the judged call is the one that was sent; an error describes the difference.
pub(super) fn agrees(case: &Case, decoded: &Decoded, meant: &Value) -> Result<(), String> {
    let fields = fields(case, meant);
    match &decoded.event {
        Some(WireEvent::PreToolUse(_) | WireEvent::PermissionRequest(_) | WireEvent::PostToolUse(_)) => {
            let judged = decoded.call().map(|(tool, arguments)| (tool.to_owned(), arguments.clone()));
            let sent = call(case, meant);
            if judged == sent { Ok(()) } else { Err(format!("judged {judged:?}, sent {sent:?}")) }
        }
        Some(WireEvent::UserPromptSubmitted(message)) => {
            let sent = match fields.get("steering_messages") {
                Some(Value::Array(texts)) => {
                    let texts: Vec<&str> = texts.iter().filter_map(Value::as_str).collect();
                    texts.join("\n\n")
                }
                _ => fields.get("prompt").and_then(Value::as_str).unwrap_or_default().to_owned(),
            };
            if message.prompt == sent { Ok(()) } else { Err(format!("judged {:?}", message.prompt)) }
        }
        _ => Ok(()),
    }
}
