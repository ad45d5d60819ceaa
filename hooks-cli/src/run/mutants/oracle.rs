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
        (Client::Windsurf, event) => windsurf(fields.get("tool_info").unwrap_or(&Value::Null), event),
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

/// The call of an event of Windsurf, which is one of a single tool.
fn windsurf(info: &Value, event: &str) -> Option<(String, Value)> {
    let of = |tool: &str, names: &[&str]| {
        let named = names.iter().filter_map(|name| Some(((*name).to_owned(), info.get(name)?.clone())));
        let arguments: serde_json::Map<String, Value> = named.collect();
        let arguments = if arguments.is_empty() { Value::Null } else { Value::Object(arguments) };
        Some((tool.to_owned(), arguments))
    };
    match event.split_once('_')?.1 {
        "run_command" => of("run_command", &["command_line"]),
        "write_code" => of("write_code", &["file_path", "edits"]),
        "read_code" => of("read_code", &["file_path", "edits"]),
        _ => {
            let server = info.get("mcp_server_name").and_then(Value::as_str).unwrap_or_default();
            let tool = info.get("mcp_tool_name")?.as_str()?;
            let name = if server.is_empty() { tool.to_owned() } else { format!("mcp__{server}__{tool}") };
            Some((name, info.get("mcp_tool_arguments").cloned().unwrap_or_default()))
        }
    }
}

/// Whether the call runs the forbidden command with the tool that runs commands.
pub(super) fn is_forbidden(case: &Case, meant: &Value, forbidden: &str) -> bool {
    if case.kind != EventKind::PreToolUse {
        return false;
    }
    let Some((tool, arguments)) = call(case, meant) else { return false };
    let runs = [
        "Bash",
        "bash",
        "run_shell_command",
        "runTerminalCommand",
        "Shell",
        "shell",
        "run_command",
        "Execute",
        "developer__shell",
    ]
    .contains(&&*tool);
    let commands = ["command", "cmd", "command_line"].iter().filter_map(|key| arguments.get(key));
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
                _ => {
                    let place = match case.client {
                        Client::Windsurf => "/tool_info/user_prompt",
                        Client::Goose => "/message",
                        _ => "/prompt",
                    };
                    fields.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned()
                }
            };
            if message.prompt == sent { Ok(()) } else { Err(format!("judged {:?}", message.prompt)) }
        }
        _ => Ok(()),
    }
}
