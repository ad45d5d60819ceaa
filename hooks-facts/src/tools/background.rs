//! Calls whose result arrives before their commands have ended.

use serde_json::Value;

use super::arguments::MAX_DEPTH;
use super::names::Folded;

/// Folded names of arguments that leave the command in the background.
const KEYS: &[&str] = table!("argument_names_background");

/// Words of an argument `mode` that do so.
const MODES: &[&str] = &["async", "background", "detached"];

/// Returns whether a tool answers before its command has ended, as far as its name and arguments show. An unknown value of
/// such an argument counts.
///
/// ```
/// use hooks_facts::tools::runs_in_background;
/// use serde_json::json;
///
/// assert!(runs_in_background("Bash", &json!({"command": "make", "run_in_background": true})));
/// assert!(runs_in_background("bash", &json!({"command": "make", "mode": "async"})));
/// assert!(runs_in_background("run_background_job", &json!({"cmd": "make"})));
/// assert!(!runs_in_background("Bash", &json!({"command": "make", "run_in_background": false})));
/// ```
pub fn runs_in_background(tool: &str, arguments: &Value) -> bool {
    tool.to_ascii_lowercase().contains("background") || has_argument(arguments, MAX_DEPTH)
}

fn has_argument(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    match value {
        Value::Object(fields) => fields.iter().any(|(key, value)| {
            let is_named = Folded::new(key).is_some_and(|key| key.is_one_of(KEYS));
            let is_mode = key == "mode" && value.as_str().is_some_and(|mode| MODES.contains(&mode));
            is_named && is_set(value) || is_mode || has_argument(value, depth)
        }),
        Value::Array(items) => items.iter().any(|item| has_argument(item, depth)),
        _ => false,
    }
}

fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_set) => *is_set,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !matches!(text.as_str(), "" | "false" | "0" | "no"),
        Value::Array(_) | Value::Object(_) => true,
    }
}
