//! Rewrites of shell commands, and the lists of the client: see `docs/decisions/0020-a-rewrite-keeps-the-lists.md`.

use std::borrow::Cow;

use hooks_facts::tools::{ToolKind, ToolTable};
use serde_json::Value;

use super::command_form;
use crate::answer::Rewrite;
use crate::client::Client;
use crate::decode::Decoded;

/// Returns the changed command of a rewrite if the client's lists would no longer judge the original command.
pub(super) fn hidden<'a>(decoded: Option<&Decoded>, rewrite: Option<&'a Rewrite>) -> Option<Cow<'a, str>> {
    let (decoded, Rewrite::Arguments(after)) = (decoded?, rewrite?) else { return None };
    if !judges_changed_text(decoded.client, &decoded.event_name) {
        return None;
    }
    let (tool, before) = decoded.call()?;
    let keeps = match ToolTable::default().kind(tool) {
        ToolKind::Shell => command_form::keeps,
        // The form of these is known too little.
        ToolKind::WindowsShell => |before: &str, after: &str| before == after,
        _ => return None,
    };
    let key = command_key(decoded, tool, before);
    let (before, after) = (before.get(&key), after.get(&key));
    if before == after {
        return None;
    }
    match (before.and_then(Value::as_str), after?) {
        (Some(before), Value::String(after)) if keeps(before, after) => None,
        (_, Value::String(after)) => Some(after.into()),
        (_, after) => Some(after.to_string().into()),
    }
}

/// Whether the client applies its own allow, deny and ask lists at this event or later, and to the changed
/// command only.
pub(super) fn judges_changed_text(client: Client, event_name: &str) -> bool {
    match client {
        Client::Claude
        | Client::Codex
        | Client::Gemini
        | Client::Copilot
        | Client::VsCode
        | Client::Cursor
        | Client::OpenCode => true,
        // At `pre_tool_use` its rules have judged the original, and those of September judge the change too.
        Client::DockerAgent => event_name == "tool_input_transform",
        // These take no changed command, or get none.
        Client::CopilotSdk
        | Client::DockerAgentJuly
        | Client::Squad
        | Client::Qwen
        | Client::Kimi
        | Client::Windsurf
        | Client::Goose
        | Client::Droid => false,
    }
}

/// Key of the command in the client's arguments.
pub(crate) fn command_key(decoded: &Decoded, tool: &str, arguments: &Value) -> String {
    let canonical = decoded.client.dialect(&decoded.event_name).to_canonical(tool, arguments.clone());
    let command = canonical.arguments.get("command").and_then(Value::as_str);
    let fields = arguments.as_object().into_iter().flatten();
    let found =
        fields.filter(|(_, value)| command.is_some() && value.as_str() == command).map(|(key, _)| key);
    found.min_by_key(|key| *key != "command").cloned().unwrap_or_else(|| "command".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decode::decode;

    fn is_hidden(client: Client, event: &str, tool: &str, before: &Value, after: Value) -> bool {
        let payload = json!({"session_id": "s", "cwd": "/app", "hook_event_name": event, "transcript_path": "/t",
            "tool_name": tool, "tool_input": before, "tool_use_id": "t", "agent_name": "root"});
        let decoded = decode(client, Some(event), payload.to_string().as_bytes()).unwrap();
        hidden(Some(&decoded), Some(&Rewrite::Arguments(after))).is_some()
    }

    #[test]
    fn only_the_command_of_a_shell_can_be_hidden() {
        let claude =
            |tool, before, after| is_hidden(Client::Claude, "PreToolUse", tool, &json!(before), json!(after));
        let command = json!({"command": "mk no", "timeout": 5});
        assert!(claude("Bash", command.clone(), json!({"command": "sh -c 'mk no'", "timeout": 5})));
        assert!(claude("Bash", json!({}), json!({"command": "mk no"})));
        assert!(claude("Bash", command.clone(), json!({"command": ["sh", "-c", "mk no"]})));
        assert!(!claude("Bash", command.clone(), json!({"command": "mk no", "timeout": 9})));
        assert!(!claude("Bash", command, json!({"timeout": 5})), "there is no command");
        assert!(!claude("Write", json!({"file_path": "a"}), json!({"file_path": "b"})));
        let powershell = |after: &str| {
            is_hidden(
                Client::Copilot,
                "PreToolUse",
                "powershell",
                &json!({"command": "mk a"}),
                json!({"command": after}),
            )
        };
        assert!(powershell("mk b") && !powershell("mk a"));
    }

    #[test]
    fn docker_agent_judges_the_original_too_once_its_rules_came_first() {
        let (before, after) = (json!({"cmd": "mk no"}), json!({"cmd": "sh -c 'mk no'"}));
        for (client, event, expected) in [
            (Client::DockerAgent, "tool_input_transform", true),
            (Client::DockerAgent, "pre_tool_use", false),
            (Client::DockerAgentJuly, "pre_tool_use", false),
        ] {
            let found = is_hidden(client, event, "shell", &before, after.clone());
            assert_eq!(found, expected, "{client} {event}");
        }
    }
}
