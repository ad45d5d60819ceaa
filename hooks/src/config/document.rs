//! `hooks.yaml`, version 1: the policies' own configuration, and a few keys about the file itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use hooks_policies::config::PolicyConfig;

use super::check::check;
use super::error::Mistakes;
use super::squad;
use super::tree::{Kind, Node};

/// Which engine judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// Ours: resolves paths, reads commands, fails closed.
    #[default]
    Strict,
    /// Squad's, faults included, for who needs the same answers byte for byte. A Squad policy only.
    SquadCompat,
}

/// What a file says.
#[derive(Debug)]
pub(super) struct Document {
    /// Whether the agents are kept from the file and from the settings of their clients.
    pub(super) self_protection: bool,
    pub(super) policy: PolicyConfig,
}

/// The keys that are about the file itself.
const ABOUT_THE_FILE: [&str; 3] = ["version", "profile", "self_protection"];

/// The JSON schema of `hooks.yaml`.
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(PolicyConfig).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.insert("title".to_owned(), json!("hooks.yaml"));
        object.insert("required".to_owned(), json!(["version"]));
        let mut properties = Map::new();
        properties.insert(
            "version".to_owned(),
            json!({"const": 1, "description": "The version of this format: 1."}),
        );
        properties.insert("profile".to_owned(), profile_schema());
        properties.insert(
            "self_protection".to_owned(),
            json!({
                "type": "boolean",
                "default": true,
                "description":
                    "Whether the agents are kept from writing this file and the hook settings of their clients.",
            }),
        );
        if let Some(Value::Object(sections)) = object.remove("properties") {
            properties.extend(sections);
        }
        object.insert("properties".to_owned(), Value::Object(properties));
    }
    schema
}

pub(super) fn profile_schema() -> Value {
    let mut schema = schemars::schema_for!(Profile).to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("$schema");
        object.remove("title");
    }
    schema
}

/// Reads the tree of a `hooks.yaml`.
pub(super) fn read(root: &Node, mistakes: &mut Mistakes) -> Option<Document> {
    let schema = schema();
    let own: Vec<_> = super::check::keys(&schema).collect();
    // Squad's names get an answer of their own; everything else is held against the schema.
    let (mut known, mut foreign) = (Vec::new(), Vec::new());
    for (key, value) in root.entries() {
        let place = squad::FIELDS.contains(&key.text.as_str()) && !own.contains(&key.text.as_str());
        if place { &mut foreign } else { &mut known }.push((key.clone(), value.clone()));
    }
    for (key, _) in &foreign {
        mistakes.add_with_hint(
            &key.place,
            key.text.clone(),
            format!("`{}` is Squad's name", key.text),
            squad::counterpart(&key.text),
        );
    }
    let root = match &root.kind {
        Kind::Map(_) => &Node { place: root.place.clone(), kind: Kind::Map(known) },
        _ => root,
    };
    check(&schema, root, mistakes);
    if !mistakes.is_empty() {
        return None;
    }
    let self_protection =
        root.get("self_protection").is_none_or(|node| !matches!(node.kind, Kind::Bool(false)));
    let Value::Object(mut sections) = root.to_json() else { return None };
    sections.retain(|key, _| !ABOUT_THE_FILE.contains(&key.as_str()));
    match serde_json::from_value(Value::Object(sections)) {
        Ok(policy) => Some(Document { self_protection, policy }),
        // The schema and the reader come from one type; where they differ, the reader is right.
        Err(error) => {
            mistakes.add(&root.place, "", error.to_string());
            None
        }
    }
}
