//! The tool calls in a transcript, in the form in which the client's hooks received them.
//!
//! | client | a call is | denied if |
//! | --- | --- | --- |
//! | Claude Code | a `tool_use` block | its result is `PreToolUse:TOOL hook error`, or a hook rejected it |
//! | Codex CLI | a `function_call` or `custom_tool_call` | its output is `Command blocked by PreToolUse hook` |
//! | Gemini CLI | an entry of `toolCalls`, once it ended | its error is `Tool execution blocked` |
//! | Copilot CLI | a `tool.execution_start` | the code of its error is `denied` |
//! | Qwen Code | a `functionCall` part | its `errorType` is `execution_denied` |
//!
//! Copies of a session repeat calls with their ids, so the reader of all files drops ids that it has seen.

mod claude;
mod codex;
mod copilot;
mod gemini;
mod qwen;
#[cfg(test)]
mod tests;

use hooks_core::time::Timestamp;
use serde_json::{Map, Value, json};

use super::text;
use crate::Client;

/// A part of a transcript that is about a tool call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TranscriptStep {
    /// The model called a tool.
    Called(TranscriptCall),
    /// The call ended.
    Ended(TranscriptEnd),
}

/// A tool call in a transcript.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TranscriptCall {
    /// Id of the call in the transcript. The calls of a client's hooks may have no id.
    pub id: String,
    /// Time of the line; `None` if the line does not name it.
    pub at: Option<Timestamp>,
    /// The client's name of the event in which its hooks receive the call.
    pub event: &'static str,
    /// The payload that the hooks receive, as far as the transcript shows it. Without a folder it has no `cwd`.
    pub payload: Value,
}

/// The end of a tool call in a transcript.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TranscriptEnd {
    /// Id of the call.
    pub id: String,
    /// Time of the line; `None` if the line does not name it.
    pub at: Option<Timestamp>,
    /// Whether a hook denied the call.
    pub is_denied: bool,
}

/// Reads the tool calls of one file.
///
/// ```
/// use hooks_protocols::{Client, TranscriptCalls, TranscriptStep};
/// use serde_json::json;
///
/// let line = json!({"type": "assistant", "sessionId": "s-1", "cwd": "/repo", "timestamp": "2026-11-23T02:07:07Z",
///     "message": {"content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}]}});
/// assert_eq!(TranscriptCalls::client_of(&line), Some(Client::Claude));
///
/// let mut calls = TranscriptCalls::new(Client::Claude).expect("its calls can be read");
/// let [TranscriptStep::Called(call)] = &calls.read(&line)[..] else { panic!("one call") };
/// assert_eq!((call.event, &call.payload["tool_input"]), ("PreToolUse", &json!({"command": "ls"})));
/// ```
#[derive(Debug)]
pub struct TranscriptCalls {
    form: Form,
    place: FileFacts,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Claude,
    Codex,
    Copilot,
    Gemini,
    Qwen,
}

/// Facts from earlier lines of a file that later lines do not repeat.
#[derive(Debug, Default)]
struct FileFacts {
    session: String,
    cwd: String,
    /// The subagent of the file.
    agent: String,
}

impl TranscriptCalls {
    /// Creates a reader for a file of `client`; `None` if the form of its transcripts is not known.
    pub fn new(client: Client) -> Option<Self> {
        let form = match client {
            Client::Claude => Form::Claude,
            Client::Codex => Form::Codex,
            Client::Copilot => Form::Copilot,
            Client::Gemini => Form::Gemini,
            Client::Qwen => Form::Qwen,
            _ => return None,
        };
        Some(Self { form, place: FileFacts::default() })
    }

    /// The folder below the home of a user in which `client` keeps its transcripts, unless a variable moves it; `None` if the form
    /// of its transcripts is not known.
    pub const fn folder(client: Client) -> Option<&'static str> {
        match client {
            Client::Claude => Some(".claude/projects"),
            Client::Codex => Some(".codex/sessions"),
            Client::Copilot => Some(".copilot/session-state"),
            Client::Gemini => Some(".gemini/tmp"),
            Client::Qwen => Some(".qwen/projects"),
            _ => None,
        }
    }

    /// The client that wrote a line; `None` if other clients may have written it, too. One of the first lines of a
    /// file shows its client.
    pub fn client_of(line: &Value) -> Option<Client> {
        let has = |name: &str| line.get(name).is_some();
        let kind = text(line, "type");
        match kind {
            "session_meta" | "turn_context" | "response_item" if has("payload") => Some(Client::Codex),
            "session.start" | "session.resume" if has("data") => Some(Client::Copilot),
            _ if has("projectHash") && has("sessionId") => Some(Client::Gemini),
            "user" | "assistant" | "tool_result" if line.pointer("/message/parts").is_some() => {
                Some(Client::Qwen)
            }
            "user" | "assistant" if line.pointer("/message/content").is_some() && has("sessionId") => {
                Some(Client::Claude)
            }
            _ => None,
        }
    }

    /// Returns the steps of a line.
    pub fn read(&mut self, line: &Value) -> Vec<TranscriptStep> {
        let place = &mut self.place;
        match self.form {
            Form::Claude => claude::read(line),
            Form::Codex => codex::read(line, place),
            Form::Copilot => copilot::read(line, place),
            Form::Gemini => gemini::read(line, place),
            Form::Qwen => qwen::read(line),
        }
    }
}

/// The payload of clients that spell as Claude Code does. Fields without a value are left out.
fn payload(event: &str, fields: [(&str, &str); 4], tool: &str, arguments: Value) -> Value {
    let mut payload = Map::new();
    payload.insert("hook_event_name".to_owned(), json!(event));
    for (name, value) in fields.into_iter().filter(|(_, value)| !value.is_empty()) {
        payload.insert(name.to_owned(), json!(value));
    }
    payload.insert("tool_name".to_owned(), json!(tool));
    payload.insert("tool_input".to_owned(), arguments);
    Value::Object(payload)
}

/// The objects of a list.
fn items<'v>(object: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// The object at `name`, or an empty one.
fn arguments(object: &Value, name: &str) -> Value {
    object.get(name).cloned().unwrap_or_else(|| json!({}))
}
