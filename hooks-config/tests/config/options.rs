//! Every option of the schema is read: an option that is set alone arrives in the configuration.

#![expect(clippy::string_slice, reason = "the schema is known to have what is looked up")]

use hooks_config::Config;
use serde_json::{Value, json};

#[test]
fn every_option_of_the_schema_is_read() {
    let schema = hooks_config::schema();
    let mut all = Vec::new();
    options(&schema, &schema, &[], &mut all);
    assert!(all.len() > 25, "{all:?}");
    // Handlers have a reader of their own, which takes them from the table of events; `commands.rs` tests it. Files of
    // policies need a folder; `further.rs` tests them.
    all.retain(|(path, _)| !["hooks", "hook_profile", "policies"].contains(&path[0].as_str()));
    for (path, value) in all {
        let file = file_with(&schema, &path, &value);
        match Config::parse(&file.to_string(), "hooks.yaml") {
            // A configuration that was read is the same when it is written again.
            Ok(config) if !["version", "profile", "self_protection"].contains(&path[0].as_str()) => {
                let mut whole = serde_json::to_value(config.policy()).unwrap();
                if let Some(models) = config.models() {
                    whole["models"] = serde_json::to_value(models.resilience.config()).unwrap();
                }
                whole["tenant"] = json!(config.tenant());
                whole["store"] = serde_json::to_value(config.store()).unwrap();
                whole["sandbox"] = serde_json::to_value(config.sandbox()).unwrap();
                whole["effects"] = serde_json::to_value(config.effects()).unwrap();
                whole["reload"] = serde_json::to_value(config.reload()).unwrap();
                whole["audit"] = serde_json::to_value(config.audit()).unwrap();
                let context = serde_json::to_value(config.context()).unwrap();
                whole.as_object_mut().unwrap().extend(context.as_object().unwrap().clone());
                let feeds = serde_json::to_value(config.feeds()).unwrap();
                whole.as_object_mut().unwrap().extend(feeds.as_object().unwrap().clone());
                let team_rules = serde_json::to_value(config.team_rules()).unwrap();
                whole.as_object_mut().unwrap().extend(team_rules.as_object().unwrap().clone());
                if path.last().is_some_and(|key| key == "mode") {
                    assert_eq!(config.in_shadow().len(), 1, "{path:?}");
                    continue;
                }
                let mut read = &whole;
                for key in &path {
                    read = if read.is_array() { &read[0][key] } else { &read[key] };
                }
                assert!(contains(read, &value), "{path:?}: {read} of {file}");
            }
            Ok(_) => {}
            // A policy may refuse a made-up value; the key itself is known.
            Err(errors) => {
                assert!(
                    errors.errors().iter().all(|error| !error.message.contains("unknown option")),
                    "{errors}"
                );
                assert!(errors.errors().iter().all(|error| !error.message.contains("has to be")), "{errors}");
            }
        }
    }
}

/// A file with the option alone, in the sections and items around it.
fn file_with(schema: &Value, path: &[String], value: &Value) -> Value {
    let mut file = value.clone();
    for (depth, key) in path.iter().enumerate().rev() {
        let above = schema_at(schema, &path[..depth]);
        let mut fields = some_value(schema, above);
        fields[key] = file;
        let is_item = depth > 0 && above_is_item(schema, &path[..depth]);
        file = if is_item { json!([fields]) } else { fields };
    }
    file["version"] = json!(1);
    file
}

/// The schema is for editors: it refuses what the reader refuses, as far as a pattern can.
#[test]
fn the_schema_refuses_wrong_durations_labels_and_addresses() {
    let schema = hooks_config::schema();
    let mut all = Vec::new();
    options(&schema, &schema, &[], &mut all);
    let (mut durations, mut differing) = (0, Vec::new());
    for (path, _) in &all {
        let option = resolve(
            &schema,
            &schema_at(&schema, &path[..path.len() - 1])["properties"][path.last().unwrap()],
        );
        if option["type"] != "string" {
            continue;
        }
        let file = file_with(&schema, path, &json!("15 minutes"));
        let refused = Config::parse(&file.to_string(), "hooks.yaml").err();
        let refused = refused.iter().flat_map(hooks_config::ConfigErrors::errors);
        let is_duration =
            refused.into_iter().any(|error| error.message.starts_with("`15 minutes` is not a duration"));
        let form = option["pattern"].as_str().map(|form| regex::Regex::new(form).unwrap());
        if form.as_ref().is_some_and(|form| form.is_match("1m30s")) != is_duration {
            differing.push(path.join("."));
        }
        let Some(form) = form.filter(|_| is_duration) else { continue };
        durations += 1;
        for (text, fits) in
            [("15", false), ("", false), ("15 minutes", false), ("30s1m", false), ("1s1s", false)]
                .into_iter()
                .chain([("500ms", true), ("1d2h3m4s5ms", true), ("2h5ms", true)])
        {
            assert_eq!(
                (form.is_match(text), hooks_core::duration::parse(text).is_ok()),
                (fits, fits),
                "{text}"
            );
        }
    }
    assert!(durations > 30, "{durations}");
    assert_eq!(differing, [""; 0], "the forms follow the reader");

    let labels = schema.pointer("/$defs/RedactionConfig/properties/labels/items/enum").unwrap();
    assert!(labels.as_array().unwrap().contains(&json!("EMAIL")) && !labels.to_string().contains("emial"));
    for (place, right, wrong) in [
        ("/$defs/OtlpConfig/properties/endpoint", "http://localhost:4318", "ftp://localhost"),
        ("/$defs/OtlpConfig/properties/endpoint", "https://collector.example.org", "https:/x"),
        ("/$defs/WebhookConfig/properties/url", "http://localhost:9000/hook", "htp://localhost"),
        ("/properties/store/properties/url", "redis://127.0.0.1:6379/", "localhost:6379"),
        ("/properties/store/properties/url", "rediss://cache.example.org/", "redi://x"),
    ] {
        let form = regex::Regex::new(schema.pointer(place).unwrap()["pattern"].as_str().unwrap()).unwrap();
        assert!(form.is_match(right) && !form.is_match(wrong), "{place}");
    }
}

/// A value that fits `schema` and differs from the default.
fn some_value(root: &Value, schema: &Value) -> Value {
    let schema = resolve(root, schema);
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return words.last().unwrap().clone();
    }
    if let Some(alternatives) = schema.get("oneOf").and_then(Value::as_array) {
        return some_value(root, alternatives.last().unwrap());
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("boolean") => json!(true),
        Some("integer") => json!(7),
        Some("number") => json!(0.5),
        // A text if the option is a text, and a duration if it has to be one.
        Some("string") => json!("7s"),
        Some("array") => json!([some_value(root, &schema["items"])]),
        Some("object") => {
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let required = required.map(|name| {
                let name = name.as_str().unwrap();
                (name.to_owned(), some_value(root, &schema["properties"][name]))
            });
            let mut fields: serde_json::Map<_, _> = required.collect();
            if let Some(others @ Value::Object(_)) = schema.get("additionalProperties") {
                fields.insert("x".to_owned(), some_value(root, others));
            }
            Value::Object(fields)
        }
        _ => json!({"any": "thing"}),
    }
}

/// Definition that a schema refers to. If there is a long and a short form, the long one.
fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let schema = schema.get("anyOf").map_or(schema, |forms| &forms[0]);
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolve(root, root.pointer(&reference[1..]).unwrap()),
        None => schema,
    }
}

/// Every option of the schema, as a file that sets it alone: the keys to it and a value.
fn options(root: &Value, schema: &Value, path: &[String], found: &mut Vec<(Vec<String>, Value)>) {
    let schema = resolve(root, schema);
    for (name, option) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = [path, std::slice::from_ref(name)].concat();
        found.push((path.clone(), some_value(root, option)));
        let inside = if option.get("items").is_some() { &option["items"] } else { option };
        options(root, inside, &path, found);
    }
}

fn schema_at<'s>(root: &'s Value, path: &[String]) -> &'s Value {
    path.iter().fold(root, |schema, key| {
        let schema = &resolve(root, schema)["properties"][key];
        let schema = if schema.get("items").is_some() { &schema["items"] } else { schema };
        resolve(root, schema)
    })
}

fn above_is_item(root: &Value, path: &[String]) -> bool {
    let (key, above) = path.split_last().unwrap();
    schema_at(root, above)["properties"][key].get("items").is_some()
}

/// Whether `whole` has everything that `part` has.
fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|whole| contains(whole, part)))
        }
        (Value::Array(whole), Value::Array(part)) => {
            whole.iter().zip(part).all(|(whole, part)| contains(whole, part))
        }
        _ => whole == part,
    }
}
