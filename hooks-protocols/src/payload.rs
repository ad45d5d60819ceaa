//! Encodes a decoded event as a payload of its client again.

use hooks_core::{HookContext, WireEvent};
use serde_json::{Map, Value};

use crate::client::Client;
use crate::decode::Decoded;
use crate::decode::place::{at, put};
use crate::table::{Field, Row, To};

/// Encodes the payload again, with the current event and context and all unknown fields.
///
/// For callers that pass an event on, such as to a command hook or another hook system. Everything that was
/// decoded and not changed has its original value, though not its original formatting.
///
/// ```
/// use hooks_core::WireEvent;
/// use hooks_protocols::{Client, decode, payload};
///
/// let bytes = br#"{"session_id": "s-1", "transcript_path": "/t", "cwd": "/repo", "hook_event_name": "PreToolUse",
///     "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t-1", "novel": 1}"#;
/// let mut decoded = decode(Client::Claude, None, bytes)?;
/// if let Some(WireEvent::PreToolUse(call)) = &mut decoded.event {
///     call.tool_args = serde_json::json!({"command": "ls -l"});
/// }
/// let again = payload(&decoded);
/// assert_eq!(again["tool_input"]["command"], "ls -l");
/// assert_eq!(again["novel"], 1);
/// # Ok::<(), hooks_protocols::DecodeError>(())
/// ```
pub fn payload(decoded: &Decoded) -> Map<String, Value> {
    let mut payload = Map::new();
    if let Some(key) = decoded.named_by {
        payload.insert(key.to_owned(), decoded.event_name.clone().into());
    }
    let event = fields_of(decoded.event.as_ref());
    for field in &decoded.taken {
        if let Some(value) =
            value_of(field.to, &decoded.context, &event).and_then(|value| field.how.write(value))
        {
            put(&mut payload, field.from, value);
        }
    }
    merge(&mut payload, &decoded.extra, DEEPEST);
    let (Some(envelope), Some(outside)) = (decoded.client.protocol().envelope, &decoded.envelope) else {
        return payload;
    };
    let mut message = outside.clone();
    let inner = match message.get_mut("params").and_then(Value::as_object_mut) {
        Some(parameters) => parameters,
        None => &mut message,
    };
    inner.insert(envelope.input.to_owned(), Value::Object(payload));
    message
}

impl Decoded {
    /// An event of ours as this client would send it under this name; `None` if the client has no such event,
    /// or another event of that name.
    ///
    /// ```
    /// use hooks_core::HookContext;
    /// use hooks_core::event::PreToolUse;
    /// use hooks_protocols::{Client, Decoded, payload};
    ///
    /// let call = PreToolUse::new("Bash", serde_json::json!({"command": "ls"}));
    /// let context = HookContext::new("s-1", "backend");
    /// let sent = Decoded::from_event(Client::Claude, "PreToolUse", context.clone(), call.clone().into()).expect("a known event");
    /// assert_eq!(payload(&sent)["tool_name"], "Bash");
    /// assert!(Decoded::from_event(Client::Claude, "SessionEnd", context, call.into()).is_none()); // another event
    /// ```
    pub fn from_event(
        client: Client,
        event_name: &str,
        context: HookContext,
        event: WireEvent,
    ) -> Option<Self> {
        let protocol = client.protocol();
        let row = protocol.row(event_name).filter(|row| row.kind == Some(event.kind()))?;
        let fields = fields_of(Some(&event));
        let mut taken: Vec<&'static Field> = Vec::new();
        for field in row.fields.iter().copied().chain([protocol.common]).flatten() {
            let is_new = !taken.iter().any(|other| other.to == field.to || other.from == field.from);
            let is_said = |value: Value| match field.to {
                To::Event(_) if !protocol.omits_empty => !value.is_null(),
                _ => says_something(&value),
            };
            if is_new && value_of(field.to, &context, &fields).is_some_and(is_said) {
                taken.push(field);
            }
        }
        let named_by = protocol.named_by.first().copied();
        let event_name = row.name.to_owned();
        let (extra, envelope) = (Map::new(), None);
        Some(Self {
            client,
            event_name,
            context,
            event: Some(event),
            extra,
            envelope,
            named_by,
            row: Some(row),
            taken,
        })
    }

    /// The row of the event, if the client is known to have the event.
    pub(crate) fn row(&self) -> Option<&'static Row> {
        self.row
    }
}

/// Maximum nesting of payloads; see [`Limits`](crate::Limits).
const DEEPEST: usize = 128;

fn fields_of(event: Option<&WireEvent>) -> Map<String, Value> {
    match event.map(serde_json::to_value) {
        Some(Ok(Value::Object(fields))) => fields,
        _ => Map::new(),
    }
}

fn value_of(to: To, context: &HookContext, event: &Map<String, Value>) -> Option<Value> {
    let text = match to {
        To::Event(path) => return at(event, path).cloned(),
        To::Session => Some(context.session_id.clone()),
        To::Parent => context.parent_session_id.clone(),
        To::Agent => Some(context.agent_name.clone()),
        To::Folder => Some(context.cwd.to_string_lossy().into_owned()),
        To::Root => context.team_root.as_ref().map(|root| root.to_string_lossy().into_owned()),
        To::Time => return Some(context.timestamp.0.into()).filter(says_something),
    };
    text.map(Value::String)
}

/// Whether a field differs from its default, so that it is worth sending.
fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_u64() != Some(0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(_) => true,
    }
}

/// Merges `more` into `map`. If both have a value, that of `more` counts, except that objects are merged.
fn merge(map: &mut Map<String, Value>, more: &Map<String, Value>, depth: usize) {
    for (key, value) in more {
        match (map.get_mut(key), value) {
            (Some(Value::Object(mine)), Value::Object(theirs)) if depth > 0 => merge(mine, theirs, depth - 1),
            _ => {
                map.insert(key.clone(), value.clone());
            }
        }
    }
}
