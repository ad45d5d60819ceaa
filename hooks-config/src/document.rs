//! `hooks.yaml`, version 1: the policies' own configuration, and a few keys about the file itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use hooks_audit::config::AuditConfig;
use hooks_classic::PolicyConfig;
use hooks_resilience::ResilienceConfig;
use hooks_sandbox::SandboxConfig;
use hooks_snapshots::EffectsConfig;
use hooks_store::StoreConfig;

use super::audit;
use super::check::check;
use super::command::{self, Handlers, Host};
use super::context::{self, ContextSections};
use super::error::Mistakes;
use super::feeds::{self, FeedSections};
use super::forms;
use super::further::{self, FurtherGuards};
use super::models;
use super::nonsense;
use super::plain;
use super::prune::Pruned;
use super::reload::{self, ReloadConfig};
use super::sandbox;
use super::section;
use super::served;
use super::shadow::{self, Modes};
use super::spawn;
use super::squad;
use super::store;
use super::team_folders::{self, Project};
use super::team_rules::{self, TeamRuleSections};
use super::tenant::{self, Tenancy};
use super::tree::{Kind, Node};

/// The engine that judges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The engine of Hooks: resolves paths, parses commands, fails closed.
    #[default]
    Strict,
    /// Squad's engine with its faults, for hosts that need the same answers byte for byte. Only for a Squad
    /// policy.
    SquadCompat,
}

/// Contents of a file.
#[derive(Debug)]
pub(super) struct Document {
    /// Whether the agents may not write the file and the settings of their clients.
    pub(super) self_protection: bool,
    /// Tenants of the budgets and lockouts.
    pub(super) tenancy: Option<Tenancy>,
    pub(super) policy: PolicyConfig,
    pub(super) models: Option<ResilienceConfig>,
    pub(super) store: Option<StoreConfig>,
    pub(super) audit: Option<AuditConfig>,
    pub(super) handlers: Option<Handlers>,
    pub(super) context: ContextSections,
    pub(super) feeds: FeedSections,
    pub(super) team_rules: TeamRuleSections,
    pub(super) further: FurtherGuards,
    pub(super) reload: ReloadConfig,
    pub(super) sandbox: SandboxConfig,
    pub(super) effects: EffectsConfig,
    /// Modes of the file and of its parts.
    pub(super) modes: Modes,
    /// Tree that the document was read from, without its mistakes.
    pub(super) tree: Pruned,
}

/// Address of the schema, for editors.
pub const SCHEMA_ID: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/raw/main/schema/hooks.json");

/// Keys about the file itself.
const ABOUT_THE_FILE: [&str; 3] = ["version", "profile", "self_protection"];

/// The JSON schema of `hooks.yaml`.
///
/// ```
/// let schema = hooks_config::schema();
/// assert_eq!(schema["required"], serde_json::json!(["version"]));
/// let sections = schema["properties"].as_object().ok_or("a schema of a map")?;
/// assert!(["write_guard", "rules", "models", "cache"].iter().all(|name| sections.contains_key(*name)));
/// assert!(!schema.to_string().contains("```"), "an editor shows the descriptions");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schema() -> Value {
    let mut schema = schema_of_types();
    if let Some(object) = schema.as_object_mut() {
        shadow::add_schemas(object);
    }
    forms::add(&mut schema);
    without_examples(&mut schema);
    schema
}

/// The schema with the descriptions of the types, which have examples in Rust.
fn schema_of_types() -> Value {
    let mut schema = schemars::schema_for!(PolicyConfig).to_value();
    without_null(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        object.insert("$id".to_owned(), json!(SCHEMA_ID));
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
        properties.insert(
            tenant::KEY.to_owned(),
            json!({
                "type": "string",
                "description":
                    "Whose budgets, limits and lockouts these are: state of one tenant is never another's. What names no tenant is this one's; what names another is refused.",
            }),
        );
        properties.insert(tenant::OTHERS.to_owned(), further::tenants_schema(object));
        properties.insert(further::KEY.to_owned(), further::policies_schema(object));
        if let Some(Value::Object(sections)) = object.remove("properties") {
            properties.extend(sections);
        }
        properties.insert(store::KEY.to_owned(), section::schema::<StoreConfig>(object));
        properties.insert(audit::KEY.to_owned(), audit::schema(object));
        properties.insert(models::KEY.to_owned(), section::schema::<ResilienceConfig>(object));
        properties.insert(reload::KEY.to_owned(), section::schema::<ReloadConfig>(object));
        properties.insert(sandbox::KEY.to_owned(), section::schema::<SandboxConfig>(object));
        properties.insert(sandbox::EFFECTS.to_owned(), section::schema::<EffectsConfig>(object));
        properties.insert(
            command::PROFILE.to_owned(),
            json!({
                "enum": ["2026-09", "2026-07"],
                "default": "2026-09",
                "description": "By which generation of docker-agent's rules `hooks` are read and run.",
            }),
        );
        properties.insert(command::KEY.to_owned(), command::schema());
        context::schemas(&mut properties, object);
        feeds::schemas(&mut properties, object);
        team_rules::schemas(&mut properties, object);
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

/// Reads the tree of a `hooks.yaml`. Parts with mistakes are left out.
pub(super) fn read(
    root: &Node,
    project: Project<'_>,
    host: &Host,
    mistakes: &mut Mistakes,
) -> Option<Document> {
    let (root, modes) = shadow::take(root, mistakes);
    let root = &*root;
    if !plain::is_right(root) {
        check(&checked_schema(), &without_squads_names(root, mistakes), mistakes);
    }
    nonsense::check(root, "", mistakes);
    for (name, node) in root.get(tenant::OTHERS).map_or(&[][..], Node::entries) {
        nonsense::check(node, &format!("{}.{}", tenant::OTHERS, name.text), mistakes);
    }
    let tree = Pruned::new(root, mistakes.paths());
    let self_protection =
        tree.root.get("self_protection").is_none_or(|node| !matches!(node.kind, Kind::Bool(false)));
    let Value::Object(mut sections) = tree.root.to_json() else { return None };
    sections.retain(|key, _| !ABOUT_THE_FILE.contains(&key.as_str()));
    if !mistakes.is_empty() {
        // A section without a required key is reported, and hides no mistake of the others.
        sections.retain(|key, value| is_whole(key, value));
    }
    sections.shift_remove(command::PROFILE);
    // Read from the whole tree: the reader of this section knows the place of every mistake.
    let handlers = sections.shift_remove(command::KEY).and_then(|_| command::read(root, host, mistakes));
    let models = sections.shift_remove(models::KEY);
    let models = models.and_then(|value| section::read(models::KEY, value, &tree, mistakes));
    let store = sections.shift_remove(store::KEY);
    let store = store.and_then(|value| store::read(value, &tree, mistakes));
    let audit = audit::take(&mut sections, &tree, mistakes);
    let reload = section::taken(reload::KEY, &mut sections, &tree, mistakes).unwrap_or_default();
    let effects = section::taken(sandbox::EFFECTS, &mut sections, &tree, mistakes).unwrap_or_default();
    let sandbox = sandbox::take(&mut sections, &tree, mistakes);
    let spawn = sections.shift_remove(spawn::KEY);
    let spawn = spawn.and_then(|value| spawn::read(value, &tree, mistakes));
    let context = context::take(&mut sections, &tree, mistakes);
    let feeds = feeds::take(&mut sections, &tree, mistakes);
    let team_rules = team_rules::take(&mut sections, &tree, mistakes);
    feeds::check_log(&feeds, audit.as_ref(), &tree, mistakes);
    let tenancy = Tenancy::read(&tree.root, mistakes);
    let mut further = further::read(&tree.root, project, mistakes);
    team_folders::check(&tree.root, project, mistakes);
    if let Some(tenancy) = &tenancy {
        served::check(tenancy, &tree, mistakes);
    }
    sections.retain(|key, _| ![tenant::KEY, tenant::OTHERS, further::KEY].contains(&key.as_str()));
    match serde_json::from_value(Value::Object(sections)) {
        Ok(policy) => {
            let mut policy = PolicyConfig { spawn, ..policy };
            for section in further.merge_into(&mut policy) {
                if modes.mode_of(section) != modes.whole() {
                    let path = format!("{section}.mode");
                    let problem = format!(
                        "other files share in `{section}`, whose rules `mode` would take out of force"
                    );
                    let hint = "leave `mode` out here, or give the whole file one";
                    mistakes.add_with_hint(root.locate(&path), path.clone(), problem, hint);
                }
            }
            let has_others = tenancy.as_ref().is_some_and(|tenancy| !tenancy.others.is_empty());
            if has_others && policy.reviewer_lockout.is_some() {
                let problem = "lockouts are of one tenant, and would bind agents of the others";
                let hint = "give each tenant a configuration of its own, or leave `reviewer_lockout` out";
                mistakes.add_with_hint(root.locate(tenant::OTHERS), tenant::OTHERS, problem, hint);
            }
            Some(Document {
                self_protection,
                tenancy,
                policy,
                models,
                store,
                audit,
                handlers,
                context,
                feeds,
                team_rules,
                further,
                reload,
                sandbox,
                effects,
                modes,
                tree,
            })
        }
        Err(error) => {
            // The schema and the reader come from one type; if they differ, the reader is right.
            if mistakes.is_empty() {
                mistakes.add(&root.place, "", error.to_string());
            }
            None
        }
    }
}

/// The schema without the section that has a reader of its own.
pub(super) fn checked_schema() -> Value {
    let mut schema = schema_of_types();
    if let Some(hooks) = schema.pointer_mut("/properties/hooks") {
        *hooks = json!({"type": "object"});
    }
    schema
}

fn is_whole(key: &str, value: &Value) -> bool {
    [
        audit::KEY,
        models::KEY,
        reload::KEY,
        sandbox::KEY,
        sandbox::EFFECTS,
        spawn::KEY,
        store::KEY,
        tenant::KEY,
        tenant::OTHERS,
        further::KEY,
        command::KEY,
        command::PROFILE,
    ]
    .contains(&key)
        || context::KEYS.contains(&key)
        || feeds::KEYS.contains(&key)
        || team_rules::KEYS.contains(&key)
        || serde_json::from_value::<PolicyConfig>(json!({ key: value })).is_ok()
}

/// The tree without Squad's names for options; each of them gets a report of its own.
fn without_squads_names(root: &Node, mistakes: &mut Mistakes) -> Node {
    let Kind::Map(entries) = &root.kind else { return root.clone() };
    let mut own = Vec::new();
    for (key, value) in entries {
        if squad::FIELDS.contains(&key.text.as_str()) {
            let message = format!("`{}` is Squad's name", key.text);
            let hint = squad::counterpart(&key.text);
            mistakes.add_with_hint(&key.place, key.text.as_str(), message, hint);
        } else {
            own.push((key.clone(), value.clone()));
        }
    }
    Node { place: root.place.clone(), kind: Kind::Map(own) }
}

/// Removes the examples from the descriptions of a schema.
fn without_examples(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(without_examples),
        Value::Object(fields) => {
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = without_code(text);
            }
            fields.values_mut().for_each(without_examples);
        }
        _ => {}
    }
}

/// A text without its blocks of code.
fn without_code(text: &str) -> String {
    let outside = text.split("```").step_by(2).map(str::trim).filter(|text| !text.is_empty());
    let ended =
        outside.map(|text| text.strip_suffix(':').map_or_else(|| text.to_owned(), |text| format!("{text}.")));
    ended.collect::<Vec<_>>().join("\n\n")
}

/// Removes `null` from the values of a schema made from types. In the types an option is a key that may be
/// missing; here it may be missing but not `null`.
pub(super) fn without_null(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Object(fields) => {
            if let Some(Value::Array(types)) = fields.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = &types[..] {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(alternatives)) = fields.get_mut("anyOf") {
                alternatives.retain(|schema| schema.get("type").is_none_or(|name| name != "null"));
                if let [Value::Object(only)] = &alternatives[..] {
                    let only = only.clone();
                    fields.shift_remove("anyOf");
                    fields.extend(only);
                }
            }
            if fields.get("default").is_some_and(Value::is_null) {
                fields.shift_remove("default");
            }
            fields.values_mut().for_each(without_null);
        }
        _ => {}
    }
}
