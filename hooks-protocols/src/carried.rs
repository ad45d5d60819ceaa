//! The command of a shell call, and the form in which a wrapper carries it: see `docs/decisions/0020-a-rewrite-keeps-the-lists.md`.

use hooks_core::event::WireEvent;
use hooks_facts::tools::{ToolKind, ToolTable};
use serde_json::Value;

use crate::client::Client;
use crate::decode::Decoded;
use crate::encode::command_key;

/// End of a line that runs in place of the commands below it.
pub(crate) const INSTEAD: &str = "&& exit || exit";

/// The command with a `line` above it that runs in its place. The client's own lists judge the command all the same.
///
/// ```
/// use hooks_protocols::{carried, carried_below};
///
/// let text = carried("/usr/bin/wrapper --id 7", "rm -r x");
/// assert_eq!(text, "/usr/bin/wrapper --id 7 && exit || exit\nrm -r x");
/// assert_eq!(carried_below(&text), Some(("/usr/bin/wrapper --id 7", "rm -r x")));
/// assert_eq!(carried_below("rm -r x"), None);
/// ```
pub fn carried(line: &str, command: &str) -> String {
    format!("{line} {INSTEAD}\n{command}")
}

/// The line, and the command below it, of a text that [`carried`] gives.
pub fn carried_below(text: &str) -> Option<(&str, &str)> {
    let (line, command) = text.split_once('\n')?;
    Some((line.strip_suffix(INSTEAD)?.strip_suffix(' ')?, command))
}

impl Client {
    /// Whether the client takes a command that is carried below a line of a wrapper, and runs the line.
    ///
    /// ```
    /// use hooks_protocols::Client;
    ///
    /// assert!(Client::Codex.carries_commands() && !Client::Cursor.carries_commands());
    /// ```
    pub const fn carries_commands(self) -> bool {
        matches!(self, Self::Codex | Self::Gemini | Self::Copilot | Self::OpenCode)
    }

    /// Whether commands of the client can run under a wrapper: as [carried commands](Self::carries_commands), or by the shell
    /// that the settings of Claude Code name.
    pub const fn can_wrap(self) -> bool {
        matches!(self, Self::Claude) || self.carries_commands()
    }
}

impl Decoded {
    /// The command of a call of a POSIX shell; `None` for other events, tools and forms.
    pub fn shell_command(&self) -> Option<&str> {
        let (tool, arguments) = self.call()?;
        if ToolTable::default().kind(tool) != ToolKind::Shell {
            return None;
        }
        arguments.get(command_key(self, tool, arguments))?.as_str()
    }

    /// `arguments` of this call with another command. All others stay, because a client replaces them as a whole.
    pub fn with_command(&self, arguments: &Value, command: &str) -> Option<Value> {
        let (tool, _) = self.call()?;
        let mut arguments = arguments.clone();
        let key = command_key(self, tool, &arguments);
        *arguments.get_mut(key)? = command.into();
        Some(arguments)
    }

    /// Replaces the command of a shell call, before hooks see it. Returns whether the event has one.
    #[must_use]
    pub fn set_command(&mut self, command: &str) -> bool {
        let Some(changed) = self.call().and_then(|(_, now)| self.with_command(now, command)) else {
            return false;
        };
        let arguments = match &mut self.event {
            Some(WireEvent::PreToolUse(call)) => &mut call.tool_args,
            Some(WireEvent::PermissionRequest(call)) => &mut call.tool_args,
            Some(WireEvent::ToolDecided(call)) => &mut call.tool_args,
            Some(WireEvent::PostToolUse(call)) => &mut call.tool_args,
            _ => return false,
        };
        *arguments = changed;
        true
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::decode::decode;

    #[test]
    fn the_command_of_each_client_is_found_and_replaced() {
        for (client, event, tool, key) in [
            (Client::Claude, "PreToolUse", "Bash", "command"),
            (Client::Codex, "PostToolUse", "Bash", "command"),
            (Client::Gemini, "BeforeTool", "run_shell_command", "command"),
            (Client::Copilot, "PreToolUse", "Bash", "command"),
            (Client::OpenCode, "tool.execute.before", "bash", "command"),
        ] {
            let payload = json!({"session_id": "s", "cwd": "/app", "hook_event_name": event, "transcript_path": "/t",
                "timestamp": "2026-11-27T00:00:00Z", "tool_name": tool, "tool_input": {key: "mk a", "timeout": 5},
                "tool_response": {}, "tool_use_id": "t", "turn_id": "u", "permission_mode": "default", "model": "m"});
            let mut decoded = decode(client, Some(event), payload.to_string().as_bytes()).unwrap();
            assert_eq!(decoded.shell_command(), Some("mk a"), "{client}");
            assert!(decoded.set_command("mk b"), "{client}");
            assert_eq!(decoded.shell_command(), Some("mk b"), "{client}");
            assert_eq!(decoded.call().unwrap().1, &json!({key: "mk b", "timeout": 5}), "{client}");
        }
    }

    #[test]
    fn only_the_first_line_can_be_the_wrapper() {
        for text in
            ["w && exit || exit", "a\nw && exit || exit\nb", "w&& exit || exit\na", "w && exit || exit \na"]
        {
            assert_eq!(carried_below(text), None, "{text}");
        }
        assert_eq!(carried_below("w && exit || exit\n"), Some(("w", "")));
    }
}
