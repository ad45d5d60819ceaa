//! From the bytes that a client writes to a typed event, where it happens, and all that we have no name for.

mod child;
mod error;
mod json;
mod limits;
pub(crate) mod place;
mod time;
mod typed;

use std::fmt;

use hooks_core::{HookContext, WireEvent};
use serde_json::{Map, Value};

pub use self::error::DecodeError;
use self::json::Read;
pub use self::limits::Limits;
use self::place::Placed;
use crate::client::Client;
use crate::recognise;
use crate::table::{Field, Row};

/// A payload, read.
#[derive(Clone)]
#[non_exhaustive]
pub struct Decoded {
    /// Who sent it.
    pub client: Client,
    /// The event, in the client's words.
    pub event_name: String,
    /// Where it happens.
    pub context: HookContext,
    /// The event; `None` for one that has no type here and is only passed on.
    pub event: Option<WireEvent>,
    /// Every field that neither the context nor the event holds, as it came.
    pub extra: Map<String, Value>,
    /// What stood around the payload, where the client sends it in an envelope.
    pub envelope: Option<Map<String, Value>>,
    /// Whether some of it was no text, so that `U+FFFD` stands in its place.
    pub is_lossy: bool,
    /// The key under which the payload names its event.
    pub(crate) named_by: Option<&'static str>,
    pub(crate) row: Option<&'static Row>,
    /// The fields of the payload that the context and the event hold whole.
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
    /// The tool and the arguments of the payload, where it is about a tool.
    pub fn call(&self) -> Option<(&str, &Value)> {
        match self.event.as_ref()? {
            WireEvent::PreToolUse(call) => Some((&call.tool_name, &call.tool_args)),
            WireEvent::PermissionRequest(call) => Some((&call.tool_name, &call.tool_args)),
            WireEvent::ToolDecided(call) => Some((&call.tool_name, &call.tool_args)),
            WireEvent::PostToolUse(call) => Some((&call.tool_name, &call.tool_args)),
            _ => None,
        }
    }

    /// Whether the client tells of this call in another event as well: what counts calls counts that one.
    ///
    /// Cursor asks about a command, an MCP call and a file to read before the call of the tool that is about them, which it
    /// asks about too.
    pub fn is_told_elsewhere(&self) -> bool {
        self.row.is_some_and(|row| row.is_told_elsewhere)
    }
}

/// Reads what `client` wrote about the event that it calls `event`; `None` has the payload say which event it is.
///
/// Pure, and linear in the payload. An event that the client is not known to have is passed on, and so is every field
/// that has no place in the typed event.
///
/// # Errors
/// The payload is none, or not that of this event, or an essential field of it cannot be read. A hook that decides then
/// answers with a [`failure`](crate::failure).
pub fn decode(client: Client, event: Option<&str>, bytes: &[u8]) -> Result<Decoded, DecodeError> {
    decode_within(client, event, bytes, Limits::default())
}

/// The same within bounds of the caller's choice.
///
/// # Errors
/// As [`decode`].
pub fn decode_within(
    client: Client,
    event: Option<&str>,
    bytes: &[u8],
    limits: Limits,
) -> Result<Decoded, DecodeError> {
    let Read { fields, is_lossy } = json::read(bytes, limits)?;
    decode_fields(client, event, fields, is_lossy)
}

/// Reads a payload whose client nobody named, where that is unambiguous; see [`recognise`](crate::recognise).
///
/// # Errors
/// As [`decode`]; `Ok(None)` where the payload could be of several clients, or of none.
pub fn decode_unnamed(bytes: &[u8], limits: Limits) -> Result<Option<Decoded>, DecodeError> {
    let Read { fields, is_lossy } = json::read(bytes, limits)?;
    let Some((client, event)) = recognise::of_fields(&fields) else { return Ok(None) };
    decode_fields(client, Some(event), fields, is_lossy).map(Some)
}

/// Whose payload this is and of which event; `None` where it could be of several clients, or of none.
pub(crate) fn recognised(bytes: &[u8], limits: Limits) -> Option<(Client, &'static str)> {
    recognise::of_fields(&json::read(bytes, limits).ok()?.fields)
}

fn decode_fields(
    client: Client,
    called: Option<&str>,
    fields: Map<String, Value>,
    is_lossy: bool,
) -> Result<Decoded, DecodeError> {
    let Opened { mut fields, envelope, event: announced } = open(client, fields);
    let protocol = client.protocol();
    let named_by =
        protocol.named_by.iter().copied().find(|key| fields.get(*key).is_some_and(Value::is_string));
    let written =
        named_by.and_then(|key| fields.get(key)).and_then(Value::as_str).map(str::to_owned).or(announced);
    let event_name = match (called, written) {
        (Some(called), Some(written)) if !called.eq_ignore_ascii_case(&written) => {
            return Err(DecodeError::OtherEvent { called: called.to_owned(), payload: written });
        }
        (Some(called), None) if protocol.row(called).is_none() && recognise::whose(called).is_none() => {
            // Passed on, unless it is a slip in the settings that would take a call past everybody who decides.
            if let Some(meant) = recognise::decided_by_shape(protocol, &fields) {
                return Err(DecodeError::UnknownEvent { event: called.to_owned(), client, meant });
            }
            called.to_owned()
        }
        (Some(called), _) => called.to_owned(),
        (None, Some(written)) => written,
        (None, None) => recognise::by_shape(protocol, &fields).map(str::to_owned).ok_or_else(|| {
            let example = protocol.rows.first().map_or("", |row| row.name);
            DecodeError::NoEvent { client, example }
        })?,
    };
    let row = protocol.row(&event_name);
    if row.is_none()
        && let Some(other) = recognise::whose(&event_name)
    {
        return Err(DecodeError::OtherClient { event: event_name, client, other });
    }
    // The name can be written again from the row; in another spelling it stays where it is.
    let named_by = named_by.filter(|key| fields.get(*key).is_some_and(|name| *name == event_name));
    if let Some(key) = named_by {
        fields.shift_remove(key);
    }
    let Placed { context, event, extra, taken } = place::place(protocol, row, fields);
    let event = match row.and_then(|row| row.kind) {
        Some(kind) => Some(
            typed::read(kind, event)
                .map_err(|source| DecodeError::Fields { event: event_name.clone(), source })?,
        ),
        None => None,
    };
    Ok(Decoded { client, event_name, context, event, extra, envelope, is_lossy, named_by, row, taken })
}

/// A payload out of its envelope.
struct Opened {
    fields: Map<String, Value>,
    envelope: Option<Map<String, Value>>,
    /// The event that the envelope names.
    event: Option<String>,
}

/// Takes a payload out of its envelope, where the client sends one. A payload that comes without is one as well.
fn open(client: Client, mut fields: Map<String, Value>) -> Opened {
    let Some(envelope) = client.protocol().envelope else {
        return Opened { fields, envelope: None, event: None };
    };
    // The whole message of a remote call, or only its parameters.
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
