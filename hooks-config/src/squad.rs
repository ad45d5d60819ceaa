//! Squad policies, in JSON or YAML: the five fields of its hook pipeline, under all their names.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use hooks_classic::squad_policy_to_strict;
use hooks_policies::squad::SquadPolicy;

use super::build::{Origin, ProfileSettings, State};
use super::check::check;
use super::document::{Profile, profile_schema};
use super::error::Mistakes;
use super::tree::Node;

/// The fields. The limit has two names: one in the configuration builder and one in the pipeline.
pub(super) const FIELDS: [&str; 6] =
    ["allowedWritePaths", "blockedCommands", BUILDERS_LIMIT, PIPELINES_LIMIT, "scrubPii", "reviewerLockout"];
const BUILDERS_LIMIT: &str = "maxAskUser";
const PIPELINES_LIMIT: &str = "maxAskUserPerSession";

/// A Squad policy as it was read, and the profile, if the file names one.
#[derive(Debug)]
pub(super) struct SquadFile {
    pub(super) profile: Option<Profile>,
    pub(super) policy: SquadPolicy,
}

/// Whether the tree is meant as a Squad policy: it has a field of Squad's and no `version`, which every
/// `hooks.yaml` has; or its profile is `squad-compat`.
pub(super) fn is_meant(root: &Node) -> bool {
    let says_so = root.get("profile").is_some_and(|node| node.to_json() == json!(Profile::SquadCompat));
    says_so || (root.get("version").is_none() && FIELDS.iter().any(|field| root.get(field).is_some()))
}

/// Advice that names the equivalent option of `hooks.yaml`.
pub(super) fn counterpart(field: &str) -> &'static str {
    match field {
        "allowedWritePaths" => "write `write_guard: { allow: [...] }`, or `profile: squad-compat`",
        "blockedCommands" => "write `command_guard: { block: [...] }`, or `profile: squad-compat`",
        "scrubPii" => "write `redaction: {}`, or `profile: squad-compat`",
        "reviewerLockout" => "write `reviewer_lockout: {}`, or `profile: squad-compat`",
        _ => "write `ask_user: { max_per_session: N }`, or `profile: squad-compat`",
    }
}

/// Reads the tree of a Squad policy. Squad accepts a value of any type for a field. Here each field has one
/// type, under both profiles, because a guard that is off through a typing error protects nothing.
pub(super) fn read(root: &Node, mistakes: &mut Mistakes) -> Option<SquadFile> {
    check(&schema(), root, mistakes);
    if let (Some(_), Some(second)) = (root.get(BUILDERS_LIMIT), root.get(PIPELINES_LIMIT)) {
        mistakes.add_with_hint(
            &second.place,
            PIPELINES_LIMIT,
            format!("`{BUILDERS_LIMIT}` and `{PIPELINES_LIMIT}` are one limit under two names"),
            "keep one of them",
        );
    }
    if !mistakes.is_empty() {
        return None;
    }
    let profile = root.get("profile").and_then(|node| serde_json::from_value(node.to_json()).ok());
    let fields: BTreeMap<_, _> = root
        .entries()
        .iter()
        .filter(|(key, _)| FIELDS.contains(&key.text.as_str()))
        .map(|(key, value)| {
            let name = if key.text == BUILDERS_LIMIT { PIPELINES_LIMIT } else { key.text.as_str() };
            (name, value.to_json())
        })
        .collect();
    match serde_json::to_value(fields).and_then(serde_json::from_value) {
        Ok(policy) => Some(SquadFile { profile, policy }),
        Err(error) => {
            mistakes.add(&root.place, "", error.to_string());
            None
        }
    }
}

/// Settings of the strict policies that match a Squad policy.
pub(super) fn into_strict(
    policy: &SquadPolicy,
    state: State,
    root: &Node,
    mistakes: &mut Mistakes,
) -> Option<ProfileSettings> {
    match squad_policy_to_strict(policy) {
        Ok(policy) => Some(ProfileSettings::Strict {
            policy: policy.into(),
            models: None,
            context: Box::default(),
            feeds: Box::default(),
            team_rules: Box::default(),
            further: Box::default(),
            modes: Box::default(),
            state: state.into(),
            handlers: None,
            from: Origin::Squad,
        }),
        Err(errors) => {
            for error in errors {
                mistakes.add_with_hint(root.locate(&error.field), error.field, error.problem, error.hint);
            }
            None
        }
    }
}

/// Path in the Squad policy of the option `path` in the configuration that was made from it.
pub(super) fn path_in(root: &Node, path: &str) -> String {
    let limit = if root.get(BUILDERS_LIMIT).is_some() { BUILDERS_LIMIT } else { PIPELINES_LIMIT };
    // Commands are sorted into patterns and fragments, so their indexes differ from those in the list.
    if path.starts_with("command_guard") {
        return "blockedCommands".to_owned();
    }
    let pairs = [
        ("write_guard.allow", "allowedWritePaths"),
        ("ask_user.max_per_session", limit),
        ("redaction", "scrubPii"),
        ("reviewer_lockout", "reviewerLockout"),
    ];
    let renamed =
        pairs.iter().find_map(|(ours, theirs)| Some(format!("{theirs}{}", path.strip_prefix(ours)?)));
    renamed.unwrap_or_else(|| path.to_owned())
}

fn schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "properties": {
            "version": {"const": 1},
            "profile": profile_schema(),
            "allowedWritePaths": texts,
            "blockedCommands": texts,
            BUILDERS_LIMIT: {"type": "number"},
            PIPELINES_LIMIT: {"type": "number"},
            "scrubPii": {"type": "boolean"},
            "reviewerLockout": {"type": "boolean"},
        },
        "additionalProperties": false,
    })
}
