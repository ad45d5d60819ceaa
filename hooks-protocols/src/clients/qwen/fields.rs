//! Mapping of Qwen Code's payload fields to our events.

use serde_json::{Map, Value};

use super::super::convert;
use super::super::shared::*;
use crate::table::Field;

/// Whether a payload of `UserPromptSubmit` is about a message. The event also fires before results are sent to the
/// model, then with an empty text.
pub(super) fn is_message(fields: &Map<String, Value>) -> bool {
    fields.get("prompt").is_none_or(|prompt| prompt != "")
}

/// The text that the model gets as the result of a call that succeeded. The rest is for the display.
pub(super) const SUCCESS: &[Field] =
    &[Field::any(&["tool_response", "llmContent"], TOOL_RESULT), Field::count(&["duration_ms"], DURATION)];

/// The last call of a batch, which failed.
pub(super) const FAILED_LAST: &[Field] = &[
    Field::both(CALLS, TOOL_NAME, |calls| in_last(calls, "/tool_name"), convert::never),
    Field::both(CALLS, TOOL_ARGS, |calls| in_last(calls, "/tool_input"), convert::never),
    Field::both(CALLS, TOOL_USE_ID, |calls| in_last(calls, "/tool_use_id"), convert::never),
    Field::both(CALLS, TOOL_RESULT, failure_for_model, convert::never),
    Field::both(CALLS, ERROR, |calls| in_last(calls, "/tool_response/error"), convert::never),
];

/// The text that the model reads. It can be longer than the error: that of a command which ran out of time has its
/// output too.
fn failure_for_model(calls: &Value) -> Option<Value> {
    in_last(calls, "/tool_response/response_parts/0/functionResponse/response/error")
        .or_else(|| in_last(calls, "/tool_response/error"))
}

const CALLS: &[&str] = &["tool_calls"];

/// Whether the last call of a batch was started and failed. A call that was denied was not started.
pub(super) fn ends_in_failure(fields: &Map<String, Value>) -> bool {
    let started =
        fields.get("tool_calls").and_then(|calls| in_last(calls, "/tool_response/execution_status"));
    started.is_some_and(|status| status == "error")
}

fn in_last(calls: &Value, pointer: &str) -> Option<Value> {
    calls.as_array()?.last()?.pointer(pointer).cloned()
}
