//! The payload of an event: its possibly personal data, apart from its record so that it can be erased.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Payload of a record: the event as it was judged, its folders, and all reasons. The event is redacted and
/// shortened to the [`Limits`](super::Limits) of the log.
///
/// Read back, `event` and the folders make the request that was judged (`WireEvent`, `HookContext`), unless
/// something was shortened.
///
/// ```
/// use hooks_audit::Payload;
/// use hooks_core::event::{EventKind, PreToolUse, WireEvent};
/// use serde_json::{json, to_value};
///
/// let call = PreToolUse::new("bash", json!({"command": "make"}));
/// let mut payload = Payload::default();
/// payload.event = to_value(&call)?;
/// // Later, the decision can be repeated with the event from the payload.
/// assert_eq!(WireEvent::from_fields(EventKind::PreToolUse, payload.event)?, WireEvent::PreToolUse(call));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Payload {
    /// Fields of the event, as on the wire.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub event: Value,
    /// Working directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// Folder of the team's work, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_root: Option<String>,
    /// All reasons of the outcome.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Value>,
    /// Whether something was shortened.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

impl Payload {
    /// Creates a payload with this event.
    pub fn new(event: Value) -> Self {
        Self { event, ..Self::default() }
    }
}
