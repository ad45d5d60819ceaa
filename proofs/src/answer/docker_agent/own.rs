//! Our own vectors, as a test: the same comparison as `compare.py`, in fewer words.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Map, Value, json};

use super::{answer_july, answer_september};
use crate::workspace;

/// Fields that differ from their absence.
const ALWAYS: [&str; 8] = [
    "allowed",
    "updated_tool_response",
    "tool_ran",
    "prompted",
    "tool_result",
    "tool_result_is_error",
    "approval",
    "events",
];

/// A profile, and the function that answers by its rules.
type Profile = (&'static str, fn(&Value) -> Option<Value>);

const PROFILES: [Profile; 2] = [("2026-07", answer_july), ("2026-09", answer_september)];

fn vectors() -> Vec<Value> {
    let path = workspace::root().join("proofs/conformance/docker-agent-own/vectors.jsonl");
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn own_vectors_are_answered() {
    let mut wrong = Vec::new();
    for vector in vectors() {
        for (profile, answer) in PROFILES {
            let Some(wanted) = vector["expect"].get(profile) else { continue };
            let got = answer(&vector).unwrap_or_default()["answer"].clone();
            if let Err(problem) = compared(&vector, profile, wanted, &got) {
                wrong.push(format!("{} ({profile}): {problem}: {got}", vector["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn own_vectors_cover_every_group_in_both_profiles() {
    let vectors = vectors();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for vector in &vectors {
        *counts.entry(vector["group"].as_str().unwrap()).or_default() += 1;
    }
    let readme = workspace::root().join("proofs/conformance/docker-agent-own/README.md");
    let readme = fs::read_to_string(readme).unwrap();
    assert!(
        readme.starts_with("# Our own vectors") && readme.contains(&format!("{} vectors", vectors.len()))
    );
    for (group, count) in &counts {
        assert!(*count >= 4, "{group}: {count}");
        assert!(readme.contains(&format!("| `{group}` |")), "{group} has no place in the README");
    }
    for (profile, _) in PROFILES {
        assert!(vectors.iter().filter(|vector| vector["expect"].get(profile).is_some()).count() >= 100);
    }
}

fn compared(vector: &Value, profile: &str, wanted: &Value, got: &Value) -> Result<(), String> {
    if wanted.get("config_error").is_some() || got.get("config_error").is_some() {
        return equal(
            "config_error",
            &wanted.get("config_error").is_some(),
            &got.get("config_error").is_some(),
        );
    }
    if let Some(ok) = wanted.get("ok") {
        let error = got["error"].as_str().unwrap_or_default();
        let names = vector["error_should_name"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let missing: Vec<_> = names.filter(|name| *ok == false && !error.contains(name)).collect();
        equal("names", &Vec::<&str>::new(), &missing)?;
        return equal("ok", ok, &got["ok"]);
    }
    if let Some(order) = wanted.get("order") {
        equal("warned", &wanted.get("warned").cloned().unwrap_or(json!([])), &got["warned"])?;
        return equal("order", order, &got["order"]);
    }
    for name in ["result", "outcome"] {
        if let Some(wanted) = wanted.get(name) {
            block(vector, profile, wanted, &got[name])?;
        }
    }
    if vector["level"] == "dispatch" || wanted.get("ran").is_some() {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let (mut one, mut other) = (list(&wanted["ran"]), list(&got["ran"]));
        if wanted["ordered"] != true {
            one.sort_by_key(ToString::to_string);
            other.sort_by_key(ToString::to_string);
        }
        equal("ran", &one, &other)?;
    }
    let Some(seen) = wanted.get("stdin_seen") else { return Ok(()) };
    let recorded: Vec<_> =
        vector["record"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let only_recorded = |start: &Value| -> Value {
        let fields = start.as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| recorded.contains(&name.as_str()));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>().into()
    };
    for (command, starts) in seen.as_object().into_iter().flatten() {
        let got: Value =
            got["stdin_seen"][command].as_array().into_iter().flatten().map(only_recorded).collect();
        equal(command, starts, &got)?;
    }
    Ok(())
}

fn block(vector: &Value, profile: &str, wanted: &Value, got: &Value) -> Result<(), String> {
    let is_said = |name: &str, value: &Value| {
        let is_empty = match value {
            Value::Null => return false,
            Value::Bool(flag) => !flag,
            Value::Number(number) => number.as_f64() == Some(0.0),
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
        };
        !is_empty || ALWAYS.contains(&name)
    };
    let said = |value: &Value| -> Map<String, Value> {
        let fields = value.as_object().into_iter().flatten().filter(|(name, value)| is_said(name, value));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let (mut wanted, mut got) = (said(wanted), said(got));
    for name in vector["loose"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        equal(name, &wanted.remove(name).is_some(), &got.remove(name).is_some())?;
    }
    if wanted.get("approval").is_some_and(|approval| approval["source"] == "*") {
        let source = got.get("approval").map(|approval| approval["source"].clone()).unwrap_or_default();
        wanted["approval"]["source"] = source;
    }
    if profile == "2026-09" {
        // The program may add metadata of its own.
        let names: Vec<_> =
            wanted.get("prompt_metadata").and_then(Value::as_object).into_iter().flatten().collect();
        let names: Vec<String> = names.into_iter().map(|(name, _)| name.clone()).collect();
        let extra = got.get_mut("prompt_metadata").and_then(Value::as_object_mut);
        if let Some(extra) = extra {
            extra.retain(|name, _| names.contains(name));
        }
        got.retain(|name, value| is_said(name, value));
    }
    equal("block", &wanted, &got)
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, wanted: &T, got: &T) -> Result<(), String> {
    if wanted == got { Ok(()) } else { Err(format!("{what}: want {wanted:?}, got {got:?}")) }
}
