//! `redact_secrets`: removes secrets from arguments, results and messages to a model.

use serde_json::{Map, Value};

use super::world::Redact;
use super::{BuiltinError, Call, Output, World};

/// Depth to which values are searched. Deeper values are replaced by null rather than passed on unsearched.
const DEEPEST: usize = 128;

/// Redacts the part of the event that can contain secrets: arguments, messages or the result.
pub(super) fn redact_secrets(call: &Call<'_>, world: &World) -> Result<Output, BuiltinError> {
    let missing = BuiltinError::Missing { name: "redact_secrets", what: "something that redacts" };
    let redact = &**world.redact.as_ref().ok_or(missing)?;
    Ok(match call.event() {
        "tool_input_transform" | "pre_tool_use" => arguments(call, redact),
        "before_llm_call" => messages(call, redact),
        "tool_response_transform" => result(call, redact),
        event => Output::default().telling(format!("redact_secrets has nothing to redact in `{event}`")),
    })
}

/// Returns the arguments that change, and a message for the user.
fn arguments(call: &Call<'_>, redact: &dyn Redact) -> Output {
    let Some(Value::Object(arguments)) = call.input.get("tool_input") else { return Output::default() };
    let changed: Map<_, _> = arguments
        .iter()
        .filter_map(|(name, value)| redacted(value, redact, DEEPEST).map(|value| (name.clone(), value)))
        .collect();
    if changed.is_empty() {
        return Output::default();
    }
    let tool = call.text("tool_name");
    Output::specific(call.event(), |specific| specific.updated_input = Some(changed))
        .telling(format!("redact_secrets: redacted secret material from arguments of tool \"{tool}\""))
}

/// Returns all messages if one of them changes: the host replaces the whole list.
fn messages(call: &Call<'_>, redact: &dyn Redact) -> Output {
    let Some(Value::Array(messages)) = call.input.get("messages") else { return Output::default() };
    match redacted_list(messages, redact, DEEPEST) {
        Some(messages) => {
            Output::specific(call.event(), |specific| specific.updated_messages = Some(messages))
        }
        None => Output::default(),
    }
}

fn result(call: &Call<'_>, redact: &dyn Redact) -> Output {
    match redact.redact(call.text("tool_response")) {
        Some(text) => Output::specific(call.event(), |specific| specific.updated_tool_response = Some(text)),
        None => Output::default(),
    }
}

/// Returns `value` without its secrets, or `None` if it has no secrets.
fn redacted(value: &Value, redact: &dyn Redact, depth: usize) -> Option<Value> {
    let Some(below) = depth.checked_sub(1) else { return Some(Value::Null) };
    match value {
        Value::String(text) => redact.redact(text).map(Value::String),
        Value::Array(list) => redacted_list(list, redact, below).map(Value::Array),
        Value::Object(fields) => {
            let mut changed = None;
            for (name, value) in fields {
                if let Some(value) = redacted(value, redact, below) {
                    changed.get_or_insert_with(|| fields.clone()).insert(name.clone(), value);
                }
            }
            changed.map(Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn redacted_list(list: &[Value], redact: &dyn Redact, depth: usize) -> Option<Vec<Value>> {
    let changed: Vec<_> = list.iter().map(|value| redacted(value, redact, depth)).collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    let pairs = changed.into_iter().zip(list);
    Some(pairs.map(|(changed, value)| changed.unwrap_or_else(|| value.clone())).collect())
}
