//! The payload of a handler.

use serde_json::{Map, Value};

use crate::event::HookEvent;

/// Fields that are always present, even if they are empty.
const ALWAYS: [&str; 3] = ["session_id", "cwd", "hook_event_name"];

/// Fields that are omitted only if they are null: a cost of zero differs from an unknown cost, and an empty
/// result from a missing one.
const EMPTY_COUNTS: [&str; 3] = ["cost", "usage", "tool_response"];

/// The payload of an event: its fields with name and folder, without empty, zero or false ones.
///
/// ```
/// use hooks_command::HookEvent;
/// use hooks_command::input::payload;
/// use serde_json::{Value, json};
///
/// let event = HookEvent::named("post_tool_use").ok_or("no such event")?;
/// let fields = json!({"session_id": "s1", "tool_name": "shell", "tool_error": false, "tool_response": ""});
/// let payload = payload(event, "/p", fields.as_object().cloned().unwrap_or_default());
/// let wanted = json!({
///     "session_id": "s1", "cwd": "/p", "hook_event_name": "post_tool_use",
///     "tool_name": "shell", "tool_response": "",
/// });
/// assert_eq!(Value::Object(payload), wanted, "`false` is left out, and an empty result is not");
/// # Ok::<(), &str>(())
/// ```
pub fn payload(event: &HookEvent, folder: &str, mut fields: Map<String, Value>) -> Map<String, Value> {
    fields.insert("hook_event_name".to_owned(), event.name.into());
    let has_folder = fields.get("cwd").and_then(Value::as_str).is_some_and(|cwd| !cwd.is_empty());
    if !has_folder {
        fields.insert("cwd".to_owned(), folder.into());
    }
    fields.retain(|name, value| {
        ALWAYS.contains(&name.as_str())
            || (EMPTY_COUNTS.contains(&name.as_str()) && !value.is_null())
            || says_something(value)
    });
    fields
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_says_nothing_is_left_out() {
        let event = HookEvent::named("after_compaction").unwrap();
        let fields = json!({
            "session_id": "", "output_tokens": 0, "tool_error": false, "messages": [], "tool_input": {},
            "summary": "", "tool_response": "", "cost": 0, "input_tokens": 7, "reason": null
        });
        let fields = fields.as_object().cloned().unwrap();
        let value = Value::Object(payload(event, "/run", fields));
        let wanted = json!({
            "session_id": "", "tool_response": "", "cost": 0, "input_tokens": 7, "hook_event_name": "after_compaction", "cwd": "/run"
        });
        assert_eq!(value, wanted);
    }
}
