use hooks_core::{Strength, assert_policy_laws};
use serde_json::{Value, json};

use super::*;
use crate::testing::{call_by, verdict_on};

fn pack(rules: &Value) -> PackConfig {
    serde_json::from_value(json!({"name": "p", "idle": ["--help", "-h"], "rules": rules})).unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the rules in place")]
fn packs(rules: Value) -> Packs {
    Packs::new(&[pack(&rules)], &CallReader::default()).unwrap()
}

#[test]
fn severity_selects_the_action() {
    let packs = packs(json!([
        {"name": "a", "severity": "critical", "reason": "x", "commands": ["tool drop"]},
        {"name": "b", "severity": "high", "reason": "x", "commands": ["tool {stop,halt}"]},
        {"name": "c", "severity": "medium", "reason": "x", "commands": ["tool *-old !--keep"]},
        {"name": "d", "severity": "medium", "action": "deny", "reason": "x", "writes": ["live/**"]},
    ]));
    for (command, wanted) in [
        ("cd x; env A=1 tool drop y", (Strength::Deny, "p/a")),
        ("tool drop --help", (Strength::NoOpinion, "")),
        ("bash -c 'tool halt'", (Strength::Ask, "p/b")),
        ("tool remove-old", (Strength::Ask, "p/c")),
        ("tool remove-old --keep", (Strength::NoOpinion, "")),
        ("echo > live/x", (Strength::Deny, "p/d")),
        ("echo tool drop", (Strength::NoOpinion, "")),
        ("echo > \"$FILE\"", (Strength::NoOpinion, "")),
        ("echo > \"$FILE\"; echo > live/x", (Strength::Deny, "p/d")),
        ("$TOOL", (Strength::Ask, "unknown-command")),
        ("tool drop; $TOOL", (Strength::Deny, "p/a")),
    ] {
        let (strength, rule) = verdict_on(&packs, &call_by("a", "bash", json!({"command": command})));
        assert_eq!((strength, rule.as_str()), wanted, "{command}");
    }
    let (strength, _) = verdict_on(&packs, &call_by("a", "edit", json!({"path": "live/a"})));
    assert_eq!(strength, Strength::Deny);
}

#[test]
fn a_use_selects_rules_and_actions() {
    let rules = json!([
        {"name": "a", "severity": "critical", "reason": "x", "commands": ["a"]},
        {"name": "b", "severity": "high", "reason": "x", "commands": ["b"]},
        {"name": "c", "severity": "medium", "reason": "x", "commands": ["c"]},
    ]);
    let used = |usage: Value| {
        let usage: PackUse = serde_json::from_value(usage).unwrap();
        let rules = pack(&rules).used(&usage).unwrap().rules;
        rules.iter().map(|rule| (rule.name.clone(), rule.action())).collect::<Vec<_>>()
    };
    assert_eq!(
        used(json!({"name": "p", "except": ["a"], "at_least": "high"})),
        [("b".into(), PackAction::Ask)]
    );
    assert!(used(json!({"name": "p", "action": "ask"})).iter().all(|(_, action)| *action == PackAction::Ask));
}

#[test]
fn mistakes_name_pack_and_rule() {
    let pack = pack(&json!([
        {"name": "a", "severity": "high", "reason": "x", "commands": ["| sh"]},
        {"name": "a", "severity": "high", "reason": "x"},
    ]));
    let errors = Packs::new(&[pack.clone(), pack], &CallReader::default()).unwrap_err();
    let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field.as_str()).collect();
    assert!(fields.contains(&"packs.p.a.commands[0]"), "{fields:?}");
    assert!(fields.contains(&"packs.p") && fields.contains(&"packs.p.a"), "{fields:?}");
}

#[test]
fn laws() {
    assert_policy_laws!(
        PreToolUse,
        packs(json!([
            {"name": "a", "severity": "critical", "reason": "x", "commands": ["rm"]},
            {"name": "b", "severity": "high", "reason": "x", "writes": ["**/*.md"]},
        ]))
    );
}
