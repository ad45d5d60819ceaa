//! Forms of texts in the schema for editors: durations, labels and addresses. The reader has messages of its own for them, so the
//! schema that it checks by has no forms.

use hooks_core::duration;
use hooks_redaction::Label;
use serde_json::{Map, Value, json};

/// Durations that have no default, from which their form would follow.
const DURATIONS: &[&str] = &[
    "attempt_timeout",
    "every",
    "for",
    "per",
    "settle",
    "slow_after",
    "stale_after",
    "stay",
    "timeout",
    "wait_at_most",
    "within",
];

/// The texts that [`duration::parse`] takes.
const DURATION: &str = "^[0-9]+(d([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?|h([0-9]+m)?([0-9]+s)?([0-9]+ms)?\
     |m([0-9]+s)?([0-9]+ms)?|s([0-9]+ms)?|ms)$";

/// Addresses, with their places in the schema.
const ADDRESSES: &[(&str, &str)] = &[
    ("/$defs/OtlpConfig/properties/endpoint", r"^https?://[^/?#\s]+[^\s]*$"),
    ("/$defs/WebhookConfig/properties/url", r"^https?://[^/?#\s]+[^\s]*$"),
    ("/properties/store/properties/url", r"^(rediss?|valkeys?|unix)://[^\s]+$"),
];

/// Adds the forms to the schema.
pub(super) fn add(schema: &mut Value) {
    if let Some(label) = schema.pointer_mut("/$defs/RedactionConfig/properties/labels/items") {
        *label = json!({ "enum": Label::names().collect::<Vec<_>>() });
    }
    for (place, form) in ADDRESSES {
        if let Some(Value::Object(option)) = schema.pointer_mut(place) {
            option.insert("pattern".to_owned(), json!(form));
        }
    }
    add_to_durations(schema);
    if let Some(Value::Object(delay)) = schema.pointer_mut("/$defs/HedgeConfig/properties/delay") {
        // Or a percentile of the times of answers.
        delay.insert("pattern".to_owned(), json!(format!("^p[0-9]{{1,3}}$|{DURATION}")));
    }
}

fn add_to_durations(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(add_to_durations),
        Value::Object(fields) => {
            for (name, option) in
                fields.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten()
            {
                if let Value::Object(option) = option
                    && is_duration(name, option)
                {
                    option.insert("pattern".to_owned(), json!(DURATION));
                }
            }
            fields.values_mut().for_each(add_to_durations);
        }
        _ => {}
    }
}

fn is_duration(name: &str, option: &Map<String, Value>) -> bool {
    let default = option.get("default").and_then(Value::as_str);
    option.get("type").is_some_and(|kind| kind == "string")
        && !option.contains_key("enum")
        && default.map_or_else(|| DURATIONS.contains(&name), |text| duration::parse(text).is_ok())
}
