//! Recognises the client of a payload if the caller does not name it.

use serde_json::{Map, Value};

use crate::client::Client;
use crate::decode::{Limits, Payload};
use crate::failure::closes;
use crate::table::{Protocol, Row};

/// Finds the client and the event of a payload, if they are unambiguous.
///
/// Only keys and words that the client itself writes are used, never those of a model or a user.
///
/// ```
/// use hooks_protocols::{Client, recognise};
///
/// let bytes = br#"{"session_id": "s-1", "transcript_path": null, "cwd": "/repo", "hook_event_name": "PreToolUse",
///     "model": "m", "permission_mode": "default", "turn_id": "t-1", "tool_name": "Bash",
///     "tool_input": {"command": "ls"}, "tool_use_id": "call_1"}"#;
/// assert_eq!(recognise(bytes), Some((Client::Codex, "PreToolUse")));
/// assert_eq!(recognise(br#"{"tool_name": "Bash"}"#), None);
/// ```
pub fn recognise(bytes: &[u8]) -> Option<(Client, &'static str)> {
    Payload::read(bytes, Limits::default()).ok()?.recognised()
}

/// Finds the client and the event of parsed fields.
pub(crate) fn of_fields(fields: &Map<String, Value>) -> Option<(Client, &'static str)> {
    // The parameters of a remote call contain the payload.
    let fields = fields.get("params").and_then(Value::as_object).unwrap_or(fields);
    let keys = Keys(fields);
    let client = client_of(&keys)?;
    let protocol = client.protocol();
    let named = protocol.named_by.iter().find_map(|key| keys.text(key)).or_else(|| keys.text("hookType"));
    let event = match named {
        Some(name) => protocol.row(name)?.name,
        None => by_shape(protocol, fields)?,
    };
    Some((client, event))
}

/// The event whose characteristic keys the payload has. Of several events, the one with the most keys counts,
/// if there is only one.
pub(crate) fn by_shape(protocol: &Protocol, fields: &Map<String, Value>) -> Option<&'static str> {
    let rows: &'static [_] = protocol.rows;
    let most = rows.iter().filter(|row| fits(row, fields)).map(|row| row.shape.len()).max()?;
    let mut best = rows.iter().filter(|row| fits(row, fields) && row.shape.len() == most);
    let first = best.next()?;
    best.next().is_none().then_some(first.name)
}

/// Whether the payload has the keys that distinguish payloads of this event from others.
fn fits(row: &Row, fields: &Map<String, Value>) -> bool {
    !row.shape.is_empty() && row.shape.iter().all(|key| fields.contains_key(*key))
}

/// An event to which such a payload could belong, and which hooks can deny.
pub(crate) fn decided_by_shape(protocol: &Protocol, fields: &Map<String, Value>) -> Option<&'static str> {
    let rows: &'static [_] = protocol.rows;
    rows.iter().find(|row| fits(row, fields) && closes(row)).map(|row| row.name)
}

/// A client that has an event of this name.
pub(crate) fn whose(event: &str) -> Option<Client> {
    Client::ALL.iter().copied().find(|client| client.events().any(|name| name == event))
}

/// The only client that writes these keys.
fn client_of(keys: &Keys<'_>) -> Option<Client> {
    if keys.has_all(&["hookType", "input"]) {
        return Some(Client::CopilotSdk);
    }
    if keys.has_all(&["toolName", "arguments", "agentName", "sessionId"]) {
        return Some(Client::Squad);
    }
    if keys.has("hookEventName") {
        let is_droid = keys.has_any(&["permissionMode", "transcriptPath"]);
        return Some(if is_droid { Client::Droid } else { Client::VsCode });
    }
    if keys.has_all(&["agent_action_name", "trajectory_id"]) {
        return Some(Client::Windsurf);
    }
    // It writes the last one at each event, also if that is null.
    if keys.has_all(&["event", "session_id", "matcher_context"]) {
        return Some(Client::Goose);
    }
    // In camelCase, Copilot names only the event of a notification.
    if keys.has_all(&["sessionId", "timestamp", "cwd"]) {
        return Some(Client::Copilot);
    }
    let event = keys.text("hook_event_name")?;
    let mut fits = Client::ALL.iter().copied().filter(|client| {
        client.protocol().row(event).is_some_and(|row| row.name == event) && writes(*client, event, keys)
    });
    let first = fits.next()?;
    fits.next().is_none().then_some(first)
}

/// Whether a client writes these keys with this event. Keys that two clients share do not distinguish them;
/// keys that only one of them writes, or never writes, do.
fn writes(client: Client, event: &str, keys: &Keys<'_>) -> bool {
    let names_a_transcript = keys.has("transcript_path");
    match client {
        Client::Claude => {
            let says_model = keys.has("model") && keys.has("permission_mode");
            names_a_transcript
                && !keys.transcript_is_below(".factory")
                && !keys.has_any(&["timestamp", "turn_id", "cursor_version"])
                && !says_model
                // For the end of a session, only the folder distinguishes Claude Code from Codex.
                && (keys.has("prompt_id") || keys.transcript_is_below(".claude") || !CODEX_TOO.contains(&event))
        }
        Client::Codex => {
            names_a_transcript
                && !keys.has_any(&["timestamp", "prompt_id", "effort", "cursor_version"])
                && (keys.has("model") || keys.transcript_is_below(".codex"))
        }
        Client::Gemini => {
            names_a_transcript
                && keys.has("timestamp")
                && !keys.is_copilot()
                && !keys.is_vs_code()
                && !keys.is_qwen()
        }
        Client::Copilot => keys.has("timestamp") && keys.is_copilot() && !keys.is_qwen(),
        Client::VsCode => keys.has("timestamp") && names_a_transcript && keys.is_vs_code() && !keys.is_qwen(),
        Client::Droid => keys.transcript_is_below(".factory"),
        Client::Qwen => names_a_transcript && keys.has("timestamp") && keys.is_qwen(),
        Client::Kimi => {
            keys.has("session_id") && !keys.has_any(&["timestamp", "transcript_path", "cursor_version"])
        }
        Client::Cursor => keys.has("cursor_version"),
        Client::DockerAgent => keys.has("session_id") && !keys.has_any(&["timestamp", "transcript_path"]),
        // No other client has events of these names.
        Client::OpenCode => keys.has("session_id"),
        // The July profile of docker-agent sends the same payloads as the later one.
        Client::DockerAgentJuly | Client::CopilotSdk | Client::Squad | Client::Windsurf | Client::Goose => {
            false
        }
    }
}

/// Events that Codex sends without a model.
const CODEX_TOO: &[&str] = &["SessionEnd"];

/// The keys of a payload.
struct Keys<'a>(&'a Map<String, Value>);

impl<'a> Keys<'a> {
    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    fn has_any(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.has(key))
    }

    fn text(&self, key: &str) -> Option<&'a str> {
        self.0.get(key)?.as_str()
    }

    fn transcript_is_below(&self, folder: &str) -> bool {
        self.text("transcript_path").is_some_and(|path| path.split(['/', '\\']).any(|part| part == folder))
    }

    /// Whether Copilot wrote the payload with PascalCase events. If such a payload has a transcript, it also
    /// has a reason for stopping or instructions for compaction.
    fn is_copilot(&self) -> bool {
        !self.has("transcript_path") || self.has_any(&["stop_reason", "custom_instructions"])
    }

    /// Whether Qwen Code wrote the payload. Of the clients that send a timestamp, only it sends the mode of its
    /// permissions.
    fn is_qwen(&self) -> bool {
        self.has("permission_mode") || self.transcript_is_below(".qwen")
    }

    /// Whether VS Code wrote the payload in snake_case. Of the clients that send a timestamp, only VS Code
    /// sends the ID of a tool call.
    fn is_vs_code(&self) -> bool {
        self.has("tool_use_id") || self.text("source") == Some("new")
    }
}
