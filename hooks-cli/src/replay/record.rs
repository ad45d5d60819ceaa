//! The events of an audit log.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use hooks::audit::{Committed, Kept, Payload, Positions};
use hooks::event::WireEvent;
use hooks::{EventKind, HookContext};
use hooks_protocols::Client;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::moment::{self, Moment, RecordPosition, Recorded, Step};
use crate::audit::reading::Reading;
use crate::failure::Failure;

/// Records of a batch. With more, their events and facts do not fit into the caches of a core.
const BATCH: usize = 256;

/// An audit log that is read in batches.
pub(super) struct LogSource(Reading);

impl LogSource {
    /// Opens the log in `folder`.
    pub(super) fn new(folder: &Path) -> Result<Self, Failure> {
        if !folder.is_dir() {
            return Err(Failure::message(format!(
                "`{}` is not a folder; name that of an audit log",
                folder.display()
            )));
        }
        Ok(Self(Reading::new(folder, Positions::default())))
    }

    /// The next records; empty at the end.
    pub(super) fn next(&mut self) -> Result<Vec<Committed<Json>>, Failure> {
        self.0.next_with(BATCH, &|_, json| Some(Json(json.into())))
    }

    /// Returns the files whose ends hold no complete record, and prints each. Returns an error if a part of the log
    /// could not be read.
    pub(super) fn end(&mut self) -> Result<BTreeSet<String>, Failure> {
        if let Some(status) = self.0.trouble() {
            // The messages were printed.
            return Err(Failure::Shown(status));
        }
        self.0.warn_of_ends()
    }
}

/// The JSON of a payload. One thread at a time reads the log; the JSON is parsed outside of that.
pub(super) struct Json(Box<[u8]>);

/// The payload of a record.
#[derive(Default)]
struct RecordedEvent {
    event: Option<WireEvent>,
    cwd: String,
    team_root: Option<String>,
    reasons: Vec<Value>,
    is_shortened: bool,
    is_redacted: bool,
}

impl RecordedEvent {
    fn parse(kind: EventKind, Json(json): &Json) -> Option<Self> {
        // Without a tree of values in between, if nothing is special.
        let text = std::str::from_utf8(json).ok()?;
        if !text.contains(REDACTED)
            && let Ok(read) = Fields(kind).deserialize(&mut serde_json::Deserializer::from_str(text))
        {
            return Some(read);
        }
        let payload: Payload = serde_json::from_str(text).ok()?;
        Some(Self {
            is_redacted: is_redacted(&payload.event),
            event: WireEvent::from_fields(kind, payload.event).ok(),
            cwd: payload.cwd,
            team_root: payload.team_root,
            reasons: payload.reasons,
            is_shortened: payload.shortened,
        })
    }
}

/// Reads the payload of an event of this kind.
struct Fields(EventKind);

impl<'de> DeserializeSeed<'de> for Fields {
    type Value = RecordedEvent;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<RecordedEvent, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields {
    type Value = RecordedEvent;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the payload of a record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RecordedEvent, A::Error> {
        let mut read = RecordedEvent::default();
        while let Some(name) = map.next_key::<&str>()? {
            match name {
                "event" => read.event = Some(map.next_value_seed(EventFields(self.0))?),
                "cwd" => read.cwd = map.next_value()?,
                "team_root" => read.team_root = map.next_value()?,
                "reasons" => read.reasons = map.next_value()?,
                "shortened" => read.is_shortened = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(read)
    }
}

/// Reads the fields of an event of this kind.
struct EventFields(EventKind);

impl<'de> DeserializeSeed<'de> for EventFields {
    type Value = WireEvent;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<WireEvent, D::Error> {
        WireEvent::deserialize_fields(self.0, deserializer)
    }
}

/// The record as it is judged again.
pub(super) fn step(committed: Committed<Json>, client: Option<Client>) -> Step {
    let Committed { chain, record, payload, .. } = committed;
    let Some(kind) = EventKind::from_name(&record.event) else { return Step::Passed };
    let mut context = HookContext::new(record.session, record.agent);
    context.timestamp = record.at;
    (context.tenant, context.parent_session_id, context.repo) = (record.tenant, record.parent, record.repo);
    context.call_id = record.call;
    let mut not_known = Vec::new();
    let payload = match payload {
        Kept::Payload(json) => RecordedEvent::parse(kind, &json).unwrap_or_else(|| {
            not_known.push("the payload cannot be read");
            RecordedEvent::default()
        }),
        Kept::Erased(_) => {
            not_known.push("the payload was erased");
            RecordedEvent::default()
        }
        Kept::Nothing => {
            not_known.push("the record has no payload");
            RecordedEvent::default()
        }
    };
    context.cwd = payload.cwd.into();
    context.team_root = payload.team_root.map(Into::into);
    if payload.is_shortened {
        not_known.push("the record is shortened");
    }
    if not_known.is_empty() && payload.is_redacted {
        not_known.push("the record is redacted");
    }
    if not_known.is_empty() && context.cwd.as_os_str().is_empty() {
        not_known.push("the record names no folder");
    }
    if not_known.is_empty() && payload.event.is_none() {
        not_known.push("the event cannot be read");
    }
    // Only decisions are compared.
    let recorded = record.outcome.filter(|_| kind != EventKind::ToolDecided);
    let recorded = recorded.map(|outcome| Recorded::Decision(outcome, payload.reasons));
    let place = RecordPosition::Record(chain, record.seq);
    Step::Recorded(Box::new(Moment {
        place,
        context: Arc::new(context),
        kind,
        tool: record.tool,
        subject: payload.event.as_ref().and_then(moment::subject),
        event: payload.event,
        new: None,
        old: None,
        recorded,
        client,
        not_known,
    }))
}

/// Mark of something that was redacted.
const REDACTED: &str = "REDACTED]";

/// Whether a text in `value` has the mark of something that was redacted.
fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(REDACTED),
        Value::Array(items) => items.iter().any(is_redacted),
        Value::Object(fields) => {
            fields.iter().any(|(name, field)| name.contains(REDACTED) || is_redacted(field))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
