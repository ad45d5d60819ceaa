//! What may be personal about an event, apart from its record so that it can be erased.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What stands beside a record: the event as it was judged, after redaction and shortened to the
/// [`Limits`](super::Limits) of the log, where it happened, and what was said about it.
///
/// Read back, `event` and `place` make the request that was judged (`WireEvent`, `HookContext`), unless something was
/// shortened.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Payload {
    /// The event's own fields, as on the wire.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub event: Value,
    /// The working directory.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// The folder that the team works in, where that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_root: Option<String>,
    /// Every reason that was given, as the outcome has them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Value>,
    /// Whether something was shortened.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
}

impl Payload {
    /// A payload that says what the event was.
    pub fn of(event: Value) -> Self {
        Self { event, ..Self::default() }
    }
}
