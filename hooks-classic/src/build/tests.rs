mod children;
mod metered;

use std::collections::BTreeSet;

use hooks_core::event::{PostToolUse, PreToolUse};
use hooks_core::testing::FakeFileSystem;
use hooks_core::{HookContext, Judged};
use hooks_policies::Lockout;
use serde_json::{Value, json};

use super::*;
use crate::testing::context;

/// Returns a configuration in which every option has an effect.
fn base() -> Value {
    let mut base = json!({
        "paths": {"root": "/repo", "case_insensitive": false, "dialect": "standard"},
        "tools": {},
        "write_guard": {"allow": ["src/**"], "deny": ["src/x/**"], "missing_path": "deny"},
        "read_guard": {"deny": ["notes/**"], "except": ["notes/open"]},
        "command_guard": {"block": ["rm -rf"], "fragments": [], "unresolvable": "deny", "missing_command": "deny"},
        "ask_user": {"max_per_session": 1, "counts": "asked", "of": "session"},
        "redaction": {"labels": ["EMAIL"], "patterns": {}, "dialect": "standard", "treatment": {"EMAIL": "hash"},
            "hash_key": "0123456789abcdef0123"},
        "reviewer_lockout": {"locked": {"src/l": ["Backend"]}, "ignored_arguments": [], "team": ["Backend"]},
        "rules": [
            {"name": "r", "tools": ["deploy"], "match": [{"tool": "deploy"}]},
            {"name": "i", "tools": ["ask_user"], "agents": ["Intern"]},
            {"name": "p", "agents": ["A"], "paths": ["gen/**"],
             "match": [{"tool": "edit", "args": {"path": "gen/a"}, "agent": "A"}]},
        ],
        "protected": [],
    });
    for (section, value) in metered::base() {
        base[section] = value;
    }
    base["spawn"] = children::base();
    base
}

/// Lists for each option its JSON pointer and another value.
fn changes() -> Vec<(&'static str, &'static str, Value)> {
    let mut changes = vec![
        ("paths.root", "/paths/root", json!("/other")),
        ("paths.case_insensitive", "/paths/case_insensitive", json!(true)),
        ("paths.dialect", "/paths/dialect", json!("squad")),
        ("tools", "/tools", json!({"frobnicate": "write"})),
        ("write_guard.allow", "/write_guard/allow", json!(["lib/**"])),
        ("write_guard.deny", "/write_guard/deny", json!([])),
        ("write_guard.missing_path", "/write_guard/missing_path", json!("ask")),
        ("write_guard.agents", "/write_guard/agents", json!({"backend": {"allow": ["lib/**"]}})),
        ("read_guard.deny", "/read_guard/deny", json!(["src/**"])),
        ("read_guard.except", "/read_guard/except", json!(["notes/**"])),
        ("read_guard.allow", "/read_guard/allow", json!(["docs/**"])),
        ("read_guard.agents", "/read_guard/agents", json!({"a": {"deny": ["gen/**"]}})),
        ("read_guard.unknown", "/read_guard/unknown", json!("deny")),
        ("read_guard.sets", "/read_guard/sets", json!(["secrets"])),
        ("command_guard.block", "/command_guard/block", json!(["ls"])),
        ("command_guard.fragments", "/command_guard/fragments", json!(["ls"])),
        ("command_guard.effects", "/command_guard/effects", json!(["recursive-delete"])),
        ("command_guard.unresolvable", "/command_guard/unresolvable", json!("ask")),
        ("command_guard.missing_command", "/command_guard/missing_command", json!("allow")),
        ("ask_user.max_per_session", "/ask_user/max_per_session", json!(5)),
        ("ask_user.counts", "/ask_user/counts", json!("attempted")),
        ("ask_user.of", "/ask_user/of", json!("tree")),
        ("redaction.labels", "/redaction/labels", json!(["PHONE"])),
        ("redaction.dialect", "/redaction/dialect", json!("squad")),
        ("redaction.allow", "/redaction/allow", json!(["jane@example.com"])),
        ("redaction.detectors", "/redaction/detectors", json!({"WORD": {"pattern": "word"}})),
        ("redaction.hash_key", "/redaction/hash_key", json!("another key of sixteen")),
        ("redaction.treatment", "/redaction/treatment", json!({"EMAIL": "mask"})),
        ("redaction.patterns", "/redaction/patterns", json!({"WORD": "word"})),
        ("reviewer_lockout.locked", "/reviewer_lockout/locked", json!({})),
        ("reviewer_lockout.ignored_arguments", "/reviewer_lockout/ignored_arguments", json!(["path"])),
        ("reviewer_lockout.team", "/reviewer_lockout/team", json!(["Backend", "Lead"])),
        ("reviewer_lockout.when_all_locked", "/reviewer_lockout/when_all_locked", json!("deny")),
        ("rules.name", "/rules/0/name", json!("q")),
        ("rules.action", "/rules/1/action", json!("ask")),
        ("rules.tools", "/rules/1/tools", json!(["view"])),
        ("rules.agents", "/rules/1/agents", json!(["Lead"])),
        ("rules.paths", "/rules/2/paths", json!(["gen/b"])),
        ("rules.reads", "/rules/1/reads", json!(["x"])),
        ("rules.writes", "/rules/1/writes", json!(["x"])),
        ("rules.commands", "/rules/1/commands", json!(["ls"])),
        ("rules.effects", "/rules/1/effects", json!(["recursive-delete"])),
        ("rules.args", "/rules/0/args", json!({"target": {"is": ["staging"]}})),
        ("rules.content", "/rules/0/content", json!(["eval("])),
        ("rules.imports", "/rules/0/imports", json!(["jquery"])),
        ("rules.results", "/rules/0/results", json!("failed")),
        ("rules.reason", "/rules/0/reason", json!("not on Fridays")),
        ("rules.match", "/rules/1/match", json!([{"tool": "view"}])),
        ("rules.match.tool", "/rules/0/match/0/tool", json!("view")),
        ("rules.match.args", "/rules/2/match/0/args", json!({"path": "x"})),
        ("rules.match.agent", "/rules/2/match/0/agent", json!("B")),
        ("rules.no_match", "/rules/0/no_match", json!([{"tool": "deploy"}])),
        ("rules.no_match.tool", "/rules/0/no_match", json!([{"tool": "deploy"}])),
        ("rules.no_match.args", "/rules/2/no_match", json!([{"tool": "edit", "args": {"path": "gen/b"}}])),
        ("rules.no_match.agent", "/rules/1/no_match", json!([{"tool": "ask_user", "agent": "Intern"}])),
        ("protected", "/protected", json!(["src/a"])),
    ];
    changes.extend(metered::changes());
    changes.extend(children::changes());
    changes
}

/// Returns the answers of configured hooks to a session, or the errors of the configuration.
async fn answers(config: &Value) -> Vec<String> {
    let config: PolicyConfig = serde_json::from_value(config.clone()).unwrap();
    let hooks = match Hooks::from_policy(config.clone()) {
        Ok(hooks) => hooks,
        Err(errors) => return vec![errors.to_string()],
    };
    let mut answers = Vec::new();
    for (agent, tool, args) in [
        ("Backend", "edit", json!({"path": "src/a"})),
        ("Backend", "edit", json!({"path": "SRC/a"})),
        ("Backend", "edit", json!({"path": "src\\b"})),
        ("Backend", "edit", json!({"path": "src/x/a"})),
        ("Backend", "edit", json!({"path": "src/l"})),
        ("Backend", "edit", json!({})),
        ("Backend", "frobnicate", json!({"path": "x"})),
        ("Backend", "bash", json!({"command": "ls"})),
        ("Backend", "bash", json!({"command": "$X"})),
        ("Backend", "bash", json!({})),
        ("Backend", "deploy", json!({})),
        ("A", "view", json!({"path": "gen/a"})),
        ("A", "view", json!({"path": "notes/a"})),
        ("A", "view", json!({"path": "api/.env"})),
        ("A", "bash", json!({"command": "find x -delete"})),
        ("Lead", "view", json!({"path": "gen/a"})),
        ("Lead", "bash", json!({"command": "./report"})),
        ("Intern", "ask_user", json!({})),
        ("Lead", "ask_user", json!({})),
        ("Lead", "ask_user", json!({})),
    ] {
        let context = context(agent, FakeFileSystem::default());
        let mut decision = hooks.on(context).pre_tool_use(PreToolUse::new(tool, args)).await;
        decision.outcome.take_holds().commit();
        answers.push(format!("{} {:?}", decision.outcome.strength(), decision.outcome.shown_reason()));
    }
    let mut child = context("Lead", FakeFileSystem::default());
    child.parent_session_id = Some(std::mem::replace(&mut child.session_id, "child".to_owned()));
    let decision = hooks.on(child).pre_tool_use(PreToolUse::new("ask_user", json!({}))).await;
    answers.push(format!("{:?}", decision.outcome.reasons()));
    let call = PreToolUse::new("view", json!({}));
    let after = PostToolUse::after(
        &call,
        json!("a word of jane@example.com, a@x.xn--p1ai, +1 (555) 010-9999"),
        None,
        1,
    );
    let decision = hooks.on(HookContext::default()).post_tool_use(after).await;
    answers.push(decision.request.event().tool_result.to_string());
    answers.extend(children::answers(config.clone()).await);
    // If the call is denied for another reason, it is not metered.
    answers.extend(metered::answers(PolicyConfig { spawn: None, ..config }).await);
    answers
}

/// Collects the paths of all options in a schema.
fn options(schema: &Value, root: &Value, path: &str, found: &mut BTreeSet<String>) {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|name| root.pointer(name.trim_start_matches('#')));
    if let Some(target) = target {
        return options(target, root, path, found);
    }
    for inner in
        schema.get("anyOf").and_then(Value::as_array).into_iter().flatten().chain(schema.get("items"))
    {
        options(inner, root, path, found);
    }
    if !path.is_empty() {
        found.insert(path.to_owned());
    }
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        options(inner, root, &path, found);
    }
}

#[tokio::test]
async fn every_option_changes_an_answer() {
    let schema = serde_json::to_value(schemars::schema_for!(PolicyConfig)).unwrap();
    let mut found = BTreeSet::new();
    options(&schema, &schema, "", &mut found);
    // A section is covered by the options in it.
    let sections: Vec<_> = found
        .iter()
        .filter(|path| found.iter().any(|other| other.starts_with(&format!("{path}."))))
        .cloned()
        .collect();
    let examples = ["rules.match", "rules.no_match"];
    found.retain(|path| !sections.contains(path) || examples.contains(&path.as_str()));
    // `hooks-config` has the packs; `hooks-config/tests/config/packs.rs` tries their options.
    found.retain(|path| !path.starts_with("packs"));
    // The hooks of these are there too; `hooks-config/src/written.rs` tries it.
    found.remove("command_guard.written_scripts");
    let walked: BTreeSet<String> = changes().into_iter().map(|(option, ..)| option.to_owned()).collect();
    assert_eq!(found, walked, "each option needs a row that shows what it does");

    let before = answers(&base()).await;
    assert!(before.len() > 1, "{before:?}");
    for (option, pointer, value) in changes() {
        let mut config = base();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        config.pointer_mut(parent).unwrap()[key] = value;
        assert_ne!(answers(&config).await, before, "`{option}` changes nothing");
    }
    for section in [
        "write_guard",
        "read_guard",
        "command_guard",
        "ask_user",
        "redaction",
        "reviewer_lockout",
        "rules",
        "limits",
        "budget",
        "spawn",
    ] {
        let mut config = base();
        config.as_object_mut().unwrap().remove(section);
        assert_ne!(answers(&config).await, before, "`{section}` does nothing");
    }
}

#[test]
fn all_errors_are_reported_at_once() {
    let config = json!({
        "paths": {"root": "relative"},
        "write_guard": {"allow": ["{a"]},
        "command_guard": {"block": ["a | b"]},
        "redaction": {"labels": ["FAX"]},
        "reviewer_lockout": {"locked": {"{a": ["x"]}},
        "rules": [{"name": "", "tools": [""], "paths": [".."]}, {"name": ""}],
        "protected": ["~/x"],
    });
    let errors = Hooks::from_policy(serde_json::from_value::<PolicyConfig>(config).unwrap()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "paths.root",
            "write_guard.allow[0]",
            "command_guard.block[0]",
            "reviewer_lockout.locked.{a",
            "rules[1].name",
            "rules[0].name",
            "rules[0].tools[0]",
            "rules[0].paths[0]",
            "rules[1].name",
            "protected[0]",
            "redaction.labels[0]",
        ]
    );
    assert!(errors.to_string().lines().count() == fields.len());
}

#[test]
fn the_registry_is_handed_out_and_kept_over_a_reload() {
    let hooks = Hooks::from_policy(PolicyConfig::default()).unwrap();
    assert!(hooks.hooked().is_empty());
    hooks.lockouts().unwrap().lock(Lockout::new("x", "a"));
    assert!(hooks.lockouts().unwrap().is_locked_out("x", "a"));
    assert!(hooks.argument_recorder().is_some());
    assert!(Hooks::default().lockouts().is_none());

    let kept = Arc::new(LockoutRegistry::default());
    for _ in 0..2 {
        let policies = StrictPolicies::new(PolicyConfig::default()).with_lockouts(Arc::clone(&kept));
        Hooks::from_policy(policies).unwrap().lockouts().unwrap().lock(Lockout::new("x", "a"));
    }
    assert_eq!(kept.all().len(), 1);
}
