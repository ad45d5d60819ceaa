//! The events of an audit log.

use std::path::Path;
use std::sync::mpsc::SyncSender;

use hooks::audit::{Committed, Kept, Payload, Positions};
use hooks::event::WireEvent;
use hooks::{EventKind, HookContext};
use hooks_protocols::Client;
use serde_json::Value;

use super::moment::{Moment, RecordPosition, Recorded, Step};
use crate::audit::reading::Reading;
use crate::failure::Failure;

/// Sends all records of the log in `folder`.
pub(super) fn send(
    folder: &Path,
    client: Option<Client>,
    steps: &SyncSender<Vec<Step>>,
) -> Result<(), Failure> {
    if !folder.is_dir() {
        return Err(Failure::message(format!(
            "`{}` is not a folder; name that of an audit log",
            folder.display()
        )));
    }
    let mut reading = Reading::new(folder, Positions::default());
    loop {
        let records = reading.next()?;
        if records.is_empty() {
            break;
        }
        let batch = records.into_iter().map(|committed| step(committed, client)).collect();
        if steps.send(batch).is_err() {
            // The other end was interrupted.
            return Ok(());
        }
    }
    match reading.trouble() {
        None => Ok(()),
        // The messages were printed.
        Some(status) => Err(Failure::Shown(status)),
    }
}

fn step(committed: Committed, client: Option<Client>) -> Step {
    let Committed { chain, record, payload, .. } = committed;
    let Some(kind) = EventKind::from_name(&record.event) else { return Step::Passed };
    let mut context = HookContext::new(record.session, record.agent);
    context.timestamp = record.at;
    (context.tenant, context.parent_session_id, context.repo) = (record.tenant, record.parent, record.repo);
    context.call_id = record.call;
    let mut not_known = Vec::new();
    let mut payload = match payload {
        Kept::Payload(payload) => *payload,
        Kept::Erased(_) => {
            not_known.push("the payload was erased");
            Payload::default()
        }
        Kept::Nothing => {
            not_known.push("the record has no payload");
            Payload::default()
        }
    };
    context.cwd = std::mem::take(&mut payload.cwd).into();
    context.team_root = payload.team_root.take().map(Into::into);
    let fields = std::mem::take(&mut payload.event);
    if payload.shortened {
        not_known.push("the record is shortened");
    }
    if not_known.is_empty() && is_redacted(&fields) {
        not_known.push("the record is redacted");
    }
    if not_known.is_empty() && context.cwd.as_os_str().is_empty() {
        not_known.push("the record names no folder");
    }
    let event = (!fields.is_null()).then(|| WireEvent::from_fields(kind, fields).ok()).flatten();
    if not_known.is_empty() && event.is_none() {
        not_known.push("the event cannot be read");
    }
    // Only decisions are compared.
    let recorded = record.outcome.filter(|_| kind != EventKind::ToolDecided);
    let recorded = recorded.map(|outcome| Recorded::Decision(outcome, payload.reasons));
    let place = RecordPosition::Record(chain, record.seq);
    Step::Recorded(Box::new(Moment {
        place,
        context,
        kind,
        tool: record.tool,
        event,
        recorded,
        client,
        subject: None,
        not_known,
    }))
}

/// Whether a text in `value` has the mark of something that was redacted.
fn is_redacted(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains("REDACTED]"),
        Value::Array(items) => items.iter().any(is_redacted),
        Value::Object(fields) => {
            fields.iter().any(|(name, field)| name.contains("REDACTED]") || is_redacted(field))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
