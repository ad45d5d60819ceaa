//! Converts fields to a typed event.

use hooks_core::event::WireError;
use hooks_core::{EventKind, WireEvent};
use serde_json::{Map, Value};

/// Converts the fields of an event. Arguments and results can be large and stay unchanged, so they are moved
/// and not converted again.
pub(super) fn read(kind: EventKind, mut fields: Map<String, Value>) -> Result<WireEvent, WireError> {
    let arguments = fields.shift_remove("tool_args");
    let result = fields.shift_remove("tool_result");
    let mut event = WireEvent::from_fields(kind, Value::Object(fields))?;
    let places = match &mut event {
        WireEvent::PreToolUse(call) => (Some(&mut call.tool_args), None),
        WireEvent::PermissionRequest(call) => (Some(&mut call.tool_args), None),
        WireEvent::ToolDecided(call) => (Some(&mut call.tool_args), None),
        WireEvent::PostToolUse(done) => (Some(&mut done.tool_args), Some(&mut done.tool_result)),
        _ => (None, None),
    };
    for (place, value) in [(places.0, arguments), (places.1, result)] {
        if let (Some(place), Some(value)) = (place, value) {
            *place = value;
        }
    }
    Ok(event)
}
