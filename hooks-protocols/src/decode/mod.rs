//! Decodes the bytes of a client into a typed event, its context, and all unknown fields.

mod child;
mod error;
mod json;
mod limits;
mod names;
pub(crate) mod place;
mod time;
mod typed;

use std::fmt;

use hooks_core::{HookContext, WireEvent};
use serde_json::{Map, Value};

pub use self::error::DecodeError;
pub use self::limits::Limits;
use self::place::Placed;
use crate::client::Client;
use crate::failure::is_deniable;
use crate::recognise;
use crate::table::{Field, Row};

/// A decoded payload.
///
/// ```
/// use hooks_core::WireEvent;
/// use hooks_protocols::{Client, decode};
///
/// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1"}"#;
/// let decoded = decode(Client::Claude, None, bytes)?;
/// assert_eq!((&*decoded.event_name, decoded.call().map(|(tool, _)| tool)), ("PreToolUse", Some("Bash")));
/// assert!(matches!(&decoded.event, Some(WireEvent::PreToolUse(call)) if call.tool_args["command"] == "ls"));
/// assert_eq!(decoded.context.root(), std::path::Path::new("/repo"));
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Decoded {
    /// The client that sent the payload.
    pub client: Client,
    /// The event, as the client calls it.
    pub event_name: String,
    /// The session, agent and time of the event.
    pub context: HookContext,
    /// The event; `None` for an event that has no type here and is only passed on.
    pub event: Option<WireEvent>,
    /// Every field that neither the context nor the event holds, unchanged.
    pub extra: Map<String, Value>,
    /// The message around the payload, if the client sends an envelope.
    pub envelope: Option<Map<String, Value>>,
    /// The key that names the event in the payload.
    pub(crate) named_by: Option<&'static str>,
    pub(crate) row: Option<&'static Row>,
    /// The payload fields whose complete value is in the context or the event.
    pub(crate) taken: Vec<&'static Field>,
}

impl fmt::Debug for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoded")
            .field("client", &self.client)
            .field("event_name", &self.event_name)
            .field("context", &self.context)
            .field("event", &self.event)
            .field("extra", &self.extra)
            .finish_non_exhaustive()
    }
}

impl Decoded {
    /// The tool and the arguments, if the payload is about a tool call.
    pub fn call(&self) -> Option<(&str, &Value)> {
        match self.event.as_ref()? {
            WireEvent::PreToolUse(call) => Some((&call.tool_name, &call.tool_args)),
            WireEvent::PermissionRequest(call) => Some((&call.tool_name, &call.tool_args)),
            WireEvent::ToolDecided(call) => Some((&call.tool_name, &call.tool_args)),
            WireEvent::PostToolUse(call) => Some((&call.tool_name, &call.tool_args)),
            _ => None,
        }
    }

    /// Whether the client reports this call or prompt in another event as well. Limits count the other event.
    ///
    /// For a shell command, an MCP call or a file read, Cursor first sends an event of that kind, and then
    /// the event of the tool call. It asks hooks at both. Claude Code reports a slash command as a prompt, and then as
    /// its expansion.
    pub fn is_told_elsewhere(&self) -> bool {
        self.row.is_some_and(|row| row.is_told_elsewhere)
    }
}

/// Decodes a payload that `client` wrote for the event that it calls `event`. If `event` is `None`, the
/// payload has to name its event.
///
/// Pure, and linear in the length of the payload. An unknown event of the client is passed on, and so is
/// every field that the typed event does not have. [`Payload`] does the same in two steps.
///
/// # Errors
/// Returns an error if the payload cannot be parsed without ambiguity, belongs to another event, or lacks a
/// required field. A hook that decides then answers with a [`failure`](crate::failure).
///
/// ```
/// use hooks_protocols::{Client, decode};
///
/// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1", "novel": 1}"#;
/// let decoded = decode(Client::Claude, None, bytes)?;
/// assert_eq!(decoded.context.session_id, "s-1");
/// assert_eq!(decoded.extra["novel"], 1); // unknown fields are kept
///
/// // Two parsers could read this differently, so it is an error.
/// let twice = br#"{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_name": "Bash"}"#;
/// assert!(decode(Client::Claude, None, twice).is_err());
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
pub fn decode(client: Client, event: Option<&str>, bytes: &[u8]) -> Result<Decoded, DecodeError> {
    Payload::read(bytes, Limits::default())?.decode(client, event)
}

/// The fields of a payload. The caller can drop the bytes before it decodes the fields.
#[derive(Debug)]
pub struct Payload {
    fields: Map<String, Value>,
    limits: Limits,
}

impl Payload {
    /// Parses the one JSON object in `bytes`.
    ///
    /// # Errors
    /// Returns an error if the bytes are not an object within these limits, or if two parsers could read them
    /// differently.
    ///
    /// ```
    /// use hooks_protocols::{Limits, Payload};
    ///
    /// let limits = Limits { bytes: 10, ..Limits::default() };
    /// assert!(Payload::read(br#"{"a": 1}"#, limits).is_ok());
    /// assert!(Payload::read(br#"{"a": 1000}"#, limits).is_err());
    /// ```
    pub fn read(bytes: &[u8], limits: Limits) -> Result<Self, DecodeError> {
        Ok(Self { fields: json::read(bytes, limits)?, limits })
    }

    /// The client and the event of the payload; `None` if no client, or more than one, could have sent it.
    ///
    /// ```
    /// use hooks_protocols::{Client, Limits, Payload};
    ///
    /// let bytes = br#"{"session_id": "s-1", "transcript_path": null, "cwd": "/repo", "hook_event_name": "PreToolUse",
    ///     "model": "m", "permission_mode": "default", "turn_id": "t-1", "tool_name": "Bash",
    ///     "tool_input": {"command": "ls"}, "tool_use_id": "call_1"}"#;
    /// let payload = Payload::read(bytes, Limits::default())?;
    /// // One parse serves both questions: who sent it, and what it says.
    /// let (client, event) = payload.recognised().expect("only one client writes a `turn_id` here");
    /// assert_eq!((client, event), (Client::Codex, "PreToolUse"));
    /// assert_eq!(payload.decode(client, Some(event))?.context.session_id, "s-1");
    /// # Ok::<(), hooks_protocols::DecodeError>(())
    /// ```
    pub fn recognised(&self) -> Option<(Client, &'static str)> {
        recognise::of_fields(&self.fields)
    }

    /// Decodes the fields as those of an event; see [`decode`].
    ///
    /// # Errors
    /// Returns an error if the payload belongs to another event, or lacks a required field.
    pub fn decode(self, client: Client, event: Option<&str>) -> Result<Decoded, DecodeError> {
        let Self { fields, limits } = self;
        let Opened { mut fields, envelope, event: announced } = open(client, fields);
        let Named { event: event_name, by: named_by } = named(client, event, &fields, announced)?;
        let protocol = client.protocol();
        let row = protocol.row(&event_name);
        if row.is_none()
            && let Some(other) = recognise::whose(&event_name)
        {
            return Err(DecodeError::OtherClient { event: event_name, client, other });
        }
        // If neither the caller nor the payload names the event, its keys can show it.
        let alike = named_by.is_none().then(|| recognise::by_shape(protocol, &fields)).flatten();
        // The row has the name of the event; a name in another spelling stays in the payload.
        let named_by = named_by.filter(|key| fields.get(*key).is_some_and(|name| *name == event_name));
        if let Some(key) = named_by {
            fields.shift_remove(key);
        }
        let typed = row.filter(|row| row.reports.is_none_or(|reports| reports(&fields)));
        let Placed { context, event, extra, taken } = place::place(protocol, typed, fields, limits)?;
        names_in_short(&context, &event)?;
        let event = match typed.and_then(|row| row.kind) {
            Some(kind) => Some(typed::read(kind, event).map_err(|source| match alike {
                Some(alike) if alike != event_name => {
                    DecodeError::OtherEvent { called: event_name.clone(), payload: alike.to_owned() }
                }
                _ => DecodeError::Fields { event: event_name.clone(), source },
            })?),
            None => None,
        };
        let decoded = Decoded { client, event_name, context, event, extra, envelope, named_by, row, taken };
        if let Some((tool, _)) = decoded.call() {
            bounded("tool", tool.len(), LONGEST_NAME)?;
        }
        decoded.names_arguments_once()?;
        Ok(decoded)
    }
}

/// The name of an event.
struct Named {
    /// The event, as the client calls it.
    event: String,
    /// The key of the payload that names the event.
    by: Option<&'static str>,
}

/// Finds the name of the event: from the caller, else from the payload, else from the keys of the payload.
fn named(
    client: Client,
    called: Option<&str>,
    fields: &Map<String, Value>,
    announced: Option<String>,
) -> Result<Named, DecodeError> {
    let protocol = client.protocol();
    let mut names = protocol.named_by.iter().filter_map(|key| Some((*key, fields.get(*key)?.as_str()?)));
    let written = names.next();
    if let (Some((_, name)), Some((_, other))) = (written, names.next())
        && name != other
    {
        return Err(DecodeError::TwoEvents { one: json::shown(other), other: json::shown(name) });
    }
    let by = written.map(|(key, _)| key);
    let event = match (called, written.map(|(_, name)| name.to_owned()).or(announced)) {
        (Some(called), Some(written)) if !called.eq_ignore_ascii_case(&written) => {
            return Err(DecodeError::OtherEvent {
                called: called.to_owned(),
                payload: json::shown(&written),
            });
        }
        (Some(called), Some(_)) => called.to_owned(),
        (Some(called), None) => {
            looks_like(client, called, fields)?;
            called.to_owned()
        }
        (None, Some(written)) => written,
        (None, None) => recognise::by_shape(protocol, fields).map(str::to_owned).ok_or_else(|| {
            let example = protocol.rows.first().map_or("", |row| row.name);
            DecodeError::NoEvent { client, example }
        })?,
    };
    bounded("event", event.len(), LONGEST_NAME)?;
    Ok(Named { event, by })
}

/// Maximum length of the name of an event or a tool. No client has longer names, and comparing them would
/// take time.
const LONGEST_NAME: usize = 1024;

/// Longer names of sessions, agents, calls, models and folders are refused: they are copied into keys and records.
const LONGEST_PLACE: usize = 64 << 10;

/// A working folder is not deeper.
const DEEPEST_FOLDER: usize = 128;

fn bounded(what: &'static str, length: usize, limit: usize) -> Result<(), DecodeError> {
    if length <= limit { Ok(()) } else { Err(DecodeError::LongName { what, length, limit }) }
}

/// Refuses a context or an event with a name that is longer than the limit, or with a folder that is too
/// deep.
fn names_in_short(context: &HookContext, event: &Map<String, Value>) -> Result<(), DecodeError> {
    let HookContext { session_id, parent_session_id, agent_name, cwd, team_root, .. } = context;
    let root = team_root.as_ref().map_or(0, |root| root.as_os_str().len());
    let field = |name: &str| event.get(name).and_then(Value::as_str).map_or(0, str::len);
    for (what, length) in [
        ("session", session_id.len()),
        ("parent session", parent_session_id.as_ref().map_or(0, String::len)),
        ("agent", agent_name.len().max(field("agent_name"))),
        ("call", field("tool_use_id")),
        ("model", field("model")),
        ("folder", cwd.as_os_str().len().max(root)),
    ] {
        bounded(what, length, LONGEST_PLACE)?;
    }
    // A search for a configuration checks each parent folder, and protects a name in each.
    match cwd.components().count() {
        ..=DEEPEST_FOLDER => Ok(()),
        parts => Err(DecodeError::DeepFolder { parts, limit: DEEPEST_FOLDER }),
    }
}

/// Refuses a payload that does not name its event and has the keys of another event. With such a mistake in
/// the settings, a call would bypass the hooks that decide.
fn looks_like(client: Client, called: &str, fields: &Map<String, Value>) -> Result<(), DecodeError> {
    let protocol = client.protocol();
    let Some(row) = protocol.row(called) else {
        // An event of another client, or an unknown event, which is passed on.
        let meant =
            recognise::decided_by_shape(protocol, fields).filter(|_| recognise::whose(called).is_none());
        return meant.map_or(Ok(()), |meant| {
            Err(DecodeError::UnknownEvent { event: called.to_owned(), client, meant })
        });
    };
    let alike = recognise::by_shape(protocol, fields).and_then(|name| protocol.row(name));
    match alike {
        Some(alike)
            if !alike.name.eq_ignore_ascii_case(row.name) && (is_deniable(alike) || is_deniable(row)) =>
        {
            Err(DecodeError::OtherEvent { called: called.to_owned(), payload: alike.name.to_owned() })
        }
        _ => Ok(()),
    }
}

impl Decoded {
    /// Refuses arguments in which two keys of one object are the same name to the client.
    ///
    /// Programs in Go ignore the case of names, and use the last one.
    fn names_arguments_once(&self) -> Result<(), DecodeError> {
        let (true, Some((_, arguments))) = (self.client.protocol().folds_names, self.call()) else {
            return Ok(());
        };
        let found = names::same(arguments);
        found.map_or(Ok(()), |(one, other)| {
            Err(DecodeError::SameName {
                client: self.client,
                one: json::shown(&one),
                other: json::shown(&other),
            })
        })
    }
}

/// A payload without its envelope.
struct Opened {
    fields: Map<String, Value>,
    envelope: Option<Map<String, Value>>,
    /// The event that the envelope names.
    event: Option<String>,
}

/// Removes the envelope from a payload, if the client sends one. A payload without an envelope is accepted as
/// well.
fn open(client: Client, mut fields: Map<String, Value>) -> Opened {
    let Some(envelope) = client.protocol().envelope else {
        return Opened { fields, envelope: None, event: None };
    };
    // The message is a complete remote call, or only its parameters.
    let mut message = match fields.get_mut("params").and_then(Value::as_object_mut) {
        Some(parameters) => std::mem::take(parameters),
        None => std::mem::take(&mut fields),
    };
    match message.get_mut(envelope.input) {
        Some(Value::Object(input)) => {
            let input = std::mem::take(input);
            let event = message.get("hookType").and_then(Value::as_str).map(str::to_owned);
            match fields.get_mut("params") {
                Some(parameters) => *parameters = Value::Object(message),
                None => fields = message,
            }
            Opened { fields: input, envelope: Some(fields), event }
        }
        _ => Opened { fields: message, envelope: None, event: None },
    }
}
