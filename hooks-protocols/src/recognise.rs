//! Whose payload it is, where nobody said so.

use serde_json::{Map, Value};

use crate::client::Client;
use crate::decode::{Limits, Payload};
use crate::failure::closes;
use crate::table::{Protocol, Row};

/// Whose payload this is and of which event, where that is unambiguous.
///
/// Only keys and words that the client itself writes are looked at, never what a model or a user wrote.
pub fn recognise(bytes: &[u8]) -> Option<(Client, &'static str)> {
    Payload::read(bytes, Limits::default()).ok()?.recognised()
}

/// The same of a payload that is read.
pub(crate) fn of_fields(fields: &Map<String, Value>) -> Option<(Client, &'static str)> {
    // A remote call has what we look for in its parameters.
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

/// The event of which a payload has all the keys: the one with the most, where there is one such.
pub(crate) fn by_shape(protocol: &Protocol, fields: &Map<String, Value>) -> Option<&'static str> {
    let rows: &'static [_] = protocol.rows;
    let most = rows.iter().filter(|row| fits(row, fields)).map(|row| row.shape.len()).max()?;
    let mut best = rows.iter().filter(|row| fits(row, fields) && row.shape.len() == most);
    let first = best.next()?;
    best.next().is_none().then_some(first.name)
}

/// Whether it has the keys by which payloads of this event are told from others.
fn fits(row: &Row, fields: &Map<String, Value>) -> bool {
    !row.shape.is_empty() && row.shape.iter().all(|key| fields.contains_key(*key))
}

/// An event that is decided about and that such a payload could be of.
pub(crate) fn decided_by_shape(protocol: &Protocol, fields: &Map<String, Value>) -> Option<&'static str> {
    let rows: &'static [_] = protocol.rows;
    rows.iter().find(|row| fits(row, fields) && closes(row)).map(|row| row.name)
}

/// A client that has an event of this name.
pub(crate) fn whose(event: &str) -> Option<Client> {
    Client::ALL.iter().copied().find(|client| client.events().any(|name| name == event))
}

/// The one client that writes such keys.
fn client_of(keys: &Keys<'_>) -> Option<Client> {
    if keys.has_all(&["hookType", "input"]) {
        return Some(Client::CopilotSdk);
    }
    if keys.has_all(&["toolName", "arguments", "agentName", "sessionId"]) {
        return Some(Client::Squad);
    }
    if keys.has("hookEventName") {
        return Some(Client::VsCode);
    }
    // In camelCase it does not name its events, but for a notification.
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

/// Whether a client writes such keys with this event. What two clients share says nothing; what only one of them has, or
/// never has, tells them apart.
fn writes(client: Client, event: &str, keys: &Keys<'_>) -> bool {
    let names_a_transcript = keys.has("transcript_path");
    match client {
        Client::Claude => {
            let says_model = keys.has("model") && keys.has("permission_mode");
            names_a_transcript
                && !keys.has_any(&["timestamp", "turn_id", "cursor_version"])
                && !says_model
                // Nothing but the folder tells a session's end from that of Codex.
                && (keys.has("prompt_id") || keys.transcript_is_below(".claude") || !CODEX_TOO.contains(&event))
        }
        Client::Codex => {
            names_a_transcript
                && !keys.has_any(&["timestamp", "prompt_id", "effort", "cursor_version"])
                && (keys.has("model") || keys.transcript_is_below(".codex"))
        }
        Client::Gemini => {
            names_a_transcript && keys.has("timestamp") && !keys.is_copilot() && !keys.is_vs_code()
        }
        Client::Copilot => keys.has("timestamp") && keys.is_copilot(),
        Client::VsCode => keys.has("timestamp") && names_a_transcript && keys.is_vs_code(),
        Client::Cursor => keys.has("cursor_version"),
        Client::DockerAgent => keys.has("session_id") && !keys.has_any(&["timestamp", "transcript_path"]),
        // It sends what the later one sends.
        Client::DockerAgentJuly | Client::CopilotSdk | Client::Squad => false,
    }
}

/// Events of Codex that come without a model.
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

    /// Copilot in PascalCase: it begins with the name of the event, and where it has a transcript it says why it stops.
    fn is_copilot(&self) -> bool {
        !self.has("transcript_path") || self.has_any(&["stop_reason", "custom_instructions"])
    }

    /// VS Code where it writes in snake_case: it counts calls as nobody else with a timestamp does.
    fn is_vs_code(&self) -> bool {
        self.has("tool_use_id") || self.text("source") == Some("new")
    }
}
