use hooks_core::event::PreToolUse;
use hooks_core::testing::paths_context;
use hooks_core::{HookContext, HookRequest, Policy, ReasonKind, Strength, Verdict, assert_policy_laws};
use hooks_facts::calls::{CallReader, PathsConfig, ToolRole};
use serde_json::{Value, json};

use super::*;

fn policy(text: &str) -> CedarPolicy {
    CedarPolicy::new(&CedarConfig::new("a.cedar", text), &CallReader::default()).unwrap()
}

fn forbids(text: &str) -> CedarPolicy {
    let config = CedarConfig { default: DefaultAnswer::NoOpinion, ..CedarConfig::new("a.cedar", text) };
    CedarPolicy::new(&config, &CallReader::default()).unwrap()
}

fn errors(text: &str) -> Vec<String> {
    let errors = CedarPolicy::new(&CedarConfig::new("a.cedar", text), &CallReader::default()).unwrap_err();
    errors.as_slice().iter().map(ToString::to_string).collect()
}

fn judge(policy: &CedarPolicy, tool: &str, args: Value) -> Verdict {
    policy.judge(&HookRequest::new(paths_context(), PreToolUse::new(tool, args)))
}

/// The strength, and the rules of all reasons.
fn answer(policy: &CedarPolicy, tool: &str, args: Value) -> (Strength, Vec<String>) {
    let verdict = judge(policy, tool, args);
    (verdict.strength(), verdict.reasons().iter().map(|reason| reason.rule.to_string()).collect())
}

const DENY: Strength = Strength::Deny;
const NONE: Strength = Strength::NoOpinion;

#[test]
fn it_keeps_the_laws() {
    let text = r#"
        permit (principal, action in Kind::Action::"runs_commands", resource);
        @id("b") forbid (principal, action, resource) when { context.writes.contains("a") };
        @id("a") forbid (principal, action, resource) when { context.input has path && context.input.path like "*x*" };
    "#;
    assert_policy_laws!(PreToolUse, policy(text), HookContext::new("session-1", "Kane"));
    assert_policy_laws!(PreToolUse, forbids(text), HookContext::new("session-1", "Kane"));
}

#[test]
fn the_default_is_that_of_cedar_or_none() {
    let text = r#"permit (principal, action == Action::"Read", resource);"#;
    assert_eq!(answer(&policy(text), "Read", json!({"file_path": "a"})), (NONE, vec![]));
    assert_eq!(answer(&policy(text), "Bash", json!({"command": "ls"})), (DENY, vec!["default".to_owned()]));
    assert_eq!(answer(&forbids(text), "Bash", json!({"command": "ls"})), (NONE, vec![]));
    assert_eq!(answer(&policy(""), "Read", json!({})), (DENY, vec!["default".to_owned()]));
}

#[test]
fn each_forbid_that_matches_is_named_in_the_order_of_the_text() {
    let policy = forbids(
        r#"
        @id("zeta") @reason("no shell today") forbid (principal, action in Kind::Action::"runs_commands", resource);
        forbid (principal == Agent::"other", action, resource);
        @id("alpha") forbid (principal, action, resource) when { context.runs.contains("git") };
        "#,
    );
    let verdict = judge(&policy, "Bash", json!({"command": "git status"}));
    let told: Vec<_> =
        verdict.reasons().iter().map(|one| (&*one.rule, &*one.message, one.by_operator)).collect();
    assert_eq!(
        told,
        [("zeta", "no shell today", true), ("alpha", "the policy `alpha` forbids this call", false)]
    );
}

#[test]
fn kinds_of_tools_are_groups_of_actions() {
    let policy = forbids(r#"forbid (principal, action in Kind::Action::"writes_files", resource);"#);
    for (tool, args, wanted) in [
        ("Write", json!({"file_path": "a"}), DENY),
        ("mcp__files__write_file", json!({"path": "a"}), DENY),
        ("delete_file", json!({"path": "a"}), DENY),
        ("str_replace_editor", json!({"command": "create", "path": "a"}), DENY),
        ("str_replace_editor", json!({"command": "view", "path": "a"}), NONE),
        ("new_tool", json!({"path": "a", "content": "b"}), DENY),
        ("Read", json!({"file_path": "a"}), NONE),
        // A tool of this name is not the group.
        ("writes_files", json!({}), NONE),
        ("Kind::Action::\"writes_files\"", json!({}), NONE),
    ] {
        assert_eq!(judge(&policy, tool, args.clone()).strength(), wanted, "{tool} {args}");
    }
}

#[test]
fn what_is_not_known_in_full_is_missing_and_denied() {
    let policy = policy(
        r#"
        permit (principal, action, resource);
        @id("sql") forbid (principal, action, resource) when { context.writes.contains("migrations") };
        "#,
    );
    let rules = |command: &str| answer(&policy, "bash", json!({ "command": command }));
    assert_eq!(rules("cp a migrations/1.sql"), (DENY, vec!["sql".to_owned()]));
    assert_eq!(rules("cp a.sql b.sql"), (NONE, vec![]));
    for command in ["rm -r .", "cp a.sql $X", "$X", "rm migrations*"] {
        let verdict = judge(&policy, "bash", json!({ "command": command }));
        let [reason] = verdict.reasons() else { panic!("{verdict:?}") };
        assert_eq!((&*reason.rule, reason.kind), ("sql", ReasonKind::Failure), "{command}");
        assert!(reason.message.starts_with("the policy `sql` cannot be evaluated: "), "{}", reason.message);
        assert!(reason.message.contains("writes"), "{}", reason.message);
    }
}

#[test]
fn arguments_are_values_of_cedar() {
    let policy = forbids(
        r#"
        @id("much") forbid (principal, action, resource) when { context.input has amount && context.input.amount > 100 };
        @id("same") forbid (principal, action, resource) when { context.input has amount && context.input.amount == 7 };
        @id("force") forbid (principal, action, resource) when { context.input has force };
        "#,
    );
    let rules = |args: Value| answer(&policy, "pay", args).1;
    assert_eq!(rules(json!({"amount": 101})), ["much"]);
    assert_eq!(rules(json!({"amount": 101.0})), ["much"]);
    assert_eq!(rules(json!({"amount": 99})), Vec::<String>::new());
    assert_eq!(rules(json!({"amount": 7.0})), ["same"]);
    // Not an integer of 64 bits: it cannot be compared, and the policy fails.
    for amount in [json!(1.5), json!(u64::MAX), json!(1e300), json!("101"), json!([1])] {
        let verdict = judge(&policy, "pay", json!({ "amount": amount }));
        let told: Vec<_> = verdict.reasons().iter().map(|one| (&*one.rule, one.kind)).collect();
        assert_eq!(told, [("much", ReasonKind::Failure)], "{amount}");
    }
    assert_eq!(rules(json!({"force": null})), Vec::<String>::new());
    assert_eq!(rules(json!({"force": false})), ["force"]);
}

#[test]
fn an_argument_is_never_an_entity() {
    let policy = forbids(
        r#"@id("is-admin") forbid (principal, action, resource)
           when { context.input has who && context.input.who == Agent::"admin" };"#,
    );
    for who in [
        json!({"__entity": {"type": "Agent", "id": "admin"}}),
        json!({"type": "Agent", "id": "admin"}),
        json!({"__extn": {"fn": "ip", "arg": "::1"}}),
        json!("Agent::\"admin\""),
    ] {
        assert_eq!(judge(&policy, "x", json!({ "who": who })).strength(), NONE, "{who}");
    }
}

#[test]
fn arguments_of_any_form_get_an_answer() {
    let policy = policy("permit (principal, action, resource);");
    let mut deep = json!(1);
    for _ in 0..100 {
        deep = json!([deep]);
    }
    assert_eq!(answer(&policy, "x", json!({ "a": deep })), (DENY, vec!["request".to_owned()]));
    for args in [json!(null), json!("ls"), json!([]), json!({"": {"\u{0}": [null]}})] {
        assert_eq!(judge(&policy, "", args.clone()).strength(), NONE, "{args}");
    }
}

#[test]
fn roots_and_roles_of_the_reader_count() {
    let paths = PathsConfig { root: Some("/srv".into()), ..PathsConfig::default() };
    let reader = CallReader::new(&paths, &[("publish".to_owned(), ToolRole::Write)].into()).unwrap();
    let text = r#"
        @id("root") forbid (principal, action == Action::"publish", resource == Workspace::"/srv");
        @id("kind") forbid (principal, action in Kind::Action::"writes_files", resource);
    "#;
    let config = CedarConfig { default: DefaultAnswer::NoOpinion, ..CedarConfig::new("a", text) };
    let policy = CedarPolicy::new(&config, &reader).unwrap();
    assert_eq!(answer(&policy, "publish", json!({"path": "a"})).1, ["root", "kind"]);
    assert!(CedarPolicy::new(&config, &CallReader::default()).is_err(), "no tool has this name");
}

#[test]
fn errors_have_a_place_and_a_way_out() {
    let found = errors("permit (principal, action, resource);\nforbid (principal, action);");
    assert_eq!(
        found,
        [
            "a.cedar: line 2, column 26: this policy is missing the `resource` variable in the scope; policy scopes must contain a `principal`, `action`, and `resource` element in that order"
        ]
    );
    let found = errors("permit (principal, action == Action::\"Baash\", resource);");
    assert!(found[0].starts_with("a.cedar: line 1, column 30: "), "{found:?}");
    assert!(found[0].contains("did you mean") && found[0].contains("Action::\"bash\""), "{found:?}");
    let found = errors(
        "permit (principal, action, resource)\nwhen { context.write.contains(\"ü\") && context.runs like \"a\" };",
    );
    assert!(found[0].starts_with("a.cedar: line 2, column 8: "), "{found:?}");
    let found = errors("permit (principal == ?principal, action, resource);");
    assert!(found[0].starts_with("a.cedar: line 1, column 22: a template has no effect"), "{found:?}");
    let twice = "@id(\"a\") permit (principal, action, resource);\n";
    assert_eq!(
        errors(&twice.repeat(2)),
        ["a.cedar: line 2, column 5: two policies have the id `a`; give each a name of its own in `@id`"]
    );
    let found = errors("permit (principal, action, resource) when { context.input.amount > 3 };");
    assert!(found[0].starts_with("a.cedar: line 1, column 45: "), "{found:?}");
}

#[test]
fn a_schema_of_ones_own_replaces_the_generated_one() {
    let text = r#"forbid (principal, action == Action::"pay", resource) when { context.input.amount > 3 };"#;
    let schema = schema(["pay"], CallReader::default().table()).replace("command?: String", "amount: Long");
    let own = |schema: &str| {
        let schema = Some(CedarFile::new("b.cedarschema", schema));
        CedarPolicy::new(&CedarConfig { schema, ..CedarConfig::new("a.cedar", text) }, &CallReader::default())
    };
    assert_eq!(
        answer(&own(&schema).unwrap(), "pay", json!({"amount": 4})),
        (DENY, vec!["policy0".to_owned()])
    );
    let refused = own("entity Agent;\nentity").unwrap_err().to_string();
    assert!(refused.starts_with("b.cedarschema: line 2, column "), "{refused}");
}

#[test]
fn files_of_an_entry_are_one_set() {
    let mut config = CedarConfig::new("a.cedar", "permit (principal, action, resource);");
    config.files.push(CedarFile::new("b.cedar", "forbid (principal, action == Action::\"bash\", resource);"));
    let policy = CedarPolicy::new(&config, &CallReader::default()).unwrap();
    assert_eq!(answer(&policy, "view", json!({"path": "a"})), (NONE, vec![]));
    assert_eq!(answer(&policy, "bash", json!({"command": "ls"})), (DENY, vec!["policy1".to_owned()]));
    config.files.push(CedarFile::new("c.cedar", "permit (principal, action, resource) when { 1 };"));
    let refused = CedarPolicy::new(&config, &CallReader::default()).unwrap_err().to_string();
    assert!(refused.starts_with("c.cedar: line 1, column "), "{refused}");
}

/// Each of these overflowed the stack of the process when it was read.
#[test]
fn what_is_nested_too_deep_is_a_mistake() {
    let nested = |open: &str, close: &str, levels: usize| {
        let text = format!("{}true{}", open.repeat(levels), close.repeat(levels));
        format!("forbid (principal, action, resource) when {{ {text} }};")
    };
    for (open, close) in [("(", ")"), ("[", "]"), ("{a: ", "}")] {
        assert_eq!(errors(&nested(open, close, 200)).len(), 1, "{open}");
        assert!(
            errors(&nested(open, close, 200))[0].contains("brackets are nested deeper than 64 levels"),
            "{open}"
        );
    }
    assert_eq!(forbids(&nested("(", ")", 60)).name(), "cedar");
    // Without brackets, there is room.
    let long = format!("forbid (principal, action, resource) when {{ {}true }};", "true && ".repeat(5_000));
    assert_eq!(forbids(&long).name(), "cedar");
}
