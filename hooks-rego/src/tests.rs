use hooks_core::event::PreToolUse;
use hooks_core::testing::paths_context;
use hooks_core::{HookContext, HookRequest, Policy, ReasonKind, Strength, Verdict, assert_policy_laws};
use hooks_facts::calls::CallReader;
use serde_json::{Value, json};

use super::*;

fn policy(text: &str) -> RegoPolicy {
    let text = format!("package hooks\n{text}");
    RegoPolicy::new(&RegoConfig::new("a.rego", text), &CallReader::default()).unwrap()
}

fn error(text: &str) -> String {
    RegoPolicy::new(&RegoConfig::new("a.rego", text), &CallReader::default()).unwrap_err().to_string()
}

fn judge(policy: &RegoPolicy, tool: &str, args: Value) -> Verdict {
    policy.judge(&HookRequest::new(paths_context(), PreToolUse::new(tool, args)))
}

/// The strength, and rule and message of each reason.
fn told(policy: &RegoPolicy, tool: &str, args: Value) -> (Strength, Vec<(String, String)>) {
    let verdict = judge(policy, tool, args);
    let reasons = verdict.reasons().iter().map(|one| (one.rule.to_string(), one.message.clone()));
    (verdict.strength(), reasons.collect())
}

fn strength(policy: &RegoPolicy, command: &str) -> Strength {
    judge(policy, "bash", json!({ "command": command })).strength()
}

#[test]
fn it_keeps_the_laws() {
    let text = r#"
        deny contains "b" if input.tool_name == "bash"
        deny contains "a" if count(input.tool_args) > 1
        ask contains "sure?" if count(input.facts.writes) > 0
        allow if input.read_only
    "#;
    assert_policy_laws!(PreToolUse, policy(text), HookContext::new("session-1", "Kane"));
}

#[test]
fn each_rule_has_its_strength_and_the_strongest_counts() {
    let policy = policy(
        r#"
        deny contains "no push" if { "git" in input.facts.runs; contains(input.tool_args.command, "push") }
        deny contains {"msg": "no force", "rule": "force"} if contains(input.tool_args.command, "--force")
        ask contains "build?" if "make" in input.facts.runs
        allow if input.facts.runs == ["ls"]
        "#,
    );
    let told = |command: &str| told(&policy, "bash", json!({ "command": command }));
    let reason = |rule: &str, message: &str| (rule.to_owned(), message.to_owned());
    assert_eq!(told("git push"), (Strength::Deny, vec![reason("deny", "no push")]));
    assert_eq!(
        told("git push --force"),
        (Strength::Deny, vec![reason("deny", "no push"), reason("force", "no force")])
    );
    assert_eq!(told("make"), (Strength::Ask, vec![reason("ask", "build?")]));
    assert_eq!(told("make; git push").0, Strength::Deny);
    assert_eq!(told("ls"), (Strength::Allow, vec![]));
    assert_eq!(told("cargo test"), (Strength::NoOpinion, vec![]));
}

#[test]
fn a_rule_may_be_a_boolean() {
    let call = |text: &str, command: &str| strength(&policy(text), command);
    let deny = r#"deny if input.tool_args.command == "make""#;
    assert_eq!((call(deny, "make"), call(deny, "ls")), (Strength::Deny, Strength::NoOpinion));
    let allow = "default allow := false\nallow if input.tool_args.command == \"ls\"";
    assert_eq!((call(allow, "make"), call(allow, "ls")), (Strength::Deny, Strength::Allow));
    let ask = r#"ask if input.tool_args.command == "make""#;
    assert_eq!((call(ask, "make"), call(ask, "ls")), (Strength::Ask, Strength::NoOpinion));
}

#[test]
fn what_cannot_be_evaluated_is_denied() {
    for text in [
        r#"deny contains 7 if true"#,
        r#"deny contains {"message": "x"} if true"#,
        r#"deny contains "" if true"#,
        r#"deny := "no""#,
        r#"allow := "yes""#,
        r#"deny contains "x" if 1 / (count(input.tool_args) - 1) > 0"#,
        r#"deny contains "x" if regex.match("(", input.tool_args.command)"#,
        r#"deny contains "x" if to_number(input.tool_args.command) > 0"#,
        // More instructions than a rule may run.
        r#"deny contains "x" if { some a in numbers.range(1, 1000); some b in numbers.range(1, 1000); a * b < 0 }"#,
    ] {
        let verdict = judge(&policy(text), "bash", json!({"command": "ls"}));
        assert_eq!(verdict.strength(), Strength::Deny, "{text}");
        let [reason] = verdict.reasons() else { panic!("{text}: {verdict:?}") };
        assert_eq!(reason.kind, ReasonKind::Failure, "{text}: {reason:?}");
    }
}

#[test]
fn a_list_that_is_not_known_is_denied_unless_the_module_looks() {
    let plain = policy(r#"deny contains "x" if "migrations/a" in input.facts.writes"#);
    let looks = policy(
        r#"
        deny contains "x" if "migrations/a" in input.facts.writes
        ask contains "what is written?" if "writes" in input.facts.unknown
        "#,
    );
    for (command, wanted, looked) in [
        ("echo > migrations/a", Strength::Deny, Strength::Deny),
        ("echo > b", Strength::NoOpinion, Strength::NoOpinion),
        ("cat $X", Strength::NoOpinion, Strength::NoOpinion), // it writes nothing
        ("echo > $X", Strength::Deny, Strength::Ask),
        ("rm -r migrations", Strength::Deny, Strength::Ask),
    ] {
        assert_eq!((strength(&plain, command), strength(&looks, command)), (wanted, looked), "{command}");
    }
    // A module that does not ask for facts is not concerned.
    assert_eq!(
        strength(&policy(r#"deny contains "x" if input.tool_name == "y""#), "$X"),
        Strength::NoOpinion
    );
    let computed = policy(r#"deny contains "x" if { some list in input.facts; "a" in list }"#);
    assert_eq!(strength(&computed, "$X"), Strength::Deny);
}

#[test]
fn the_input_is_the_event_of_eval() {
    let policy = policy(
        r#"
        deny contains sprintf("%v", [input.event]) if input.event
        deny contains sprintf("%v %v", [input.at.session_id, input.at.cwd]) if true
        deny contains sprintf("%v", [input.tool_args]) if input.tool_name == "x"
        "#,
    );
    let (_, reasons) = told(&policy, "x", json!({"n": 1.5, "b": [null, true, "ü"]}));
    let messages: Vec<_> = reasons.into_iter().map(|(_, message)| message).collect();
    assert!(messages.iter().any(|message| message == "pre_tool_use"), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("1.5") && message.contains("ü")), "{messages:?}");
}

#[test]
fn errors_have_a_place_and_a_way_out() {
    for (text, place, problem) in [
        ("package hooks\ndeny contains msg if {\n  msg := \n}\n", "line 3, column 7: ", "expecting"),
        ("package hooks\n\ndeny contains x if input.a == 1\n", "line 3, column 15: ", "x"),
        ("package hooks\ndeny if foo(1)\n", "line 2, column 9: ", "foo"),
        (
            "package other\ndeny if true\n",
            "line 1, column 1: ",
            "the package is `data.other`, not `data.hooks`; name it",
        ),
        (
            "package hooks\ndenied if true\n",
            "line 1, column 1: ",
            "has no rule `deny`, `ask` or `allow`; write one",
        ),
        ("", "line 1, column 1: ", ""),
    ] {
        let found = error(text);
        assert!(found.starts_with(place) && found.contains(problem), "{text}: {found}");
    }
    // Nothing that is not pure can be called.
    for call in
        ["time.now_ns()", "rand.intn(\"a\", 9)", "http.send({})", "opa.runtime()", "uuid.rfc4122(\"a\")"]
    {
        let found = error(&format!("package hooks\ndeny if {call}\n"));
        assert!(found.starts_with("line 2, column 9: "), "{call}: {found}");
    }
}

#[test]
fn the_package_is_a_setting() {
    let mut config = RegoConfig::new("a.rego", "package team.agents\ndeny contains \"no\" if true\n");
    config.package = "team.agents".to_owned();
    let policy = RegoPolicy::new(&config, &CallReader::default()).unwrap();
    assert_eq!(strength(&policy, "ls"), Strength::Deny);
}

/// Each of these overflowed the stack of the process, or took minutes, when it was read or run.
#[test]
fn what_the_engine_cannot_hold_is_a_mistake() {
    let nested = format!("deny if input.x == {}1{}", "[".repeat(24), "]".repeat(24));
    for (text, wanted) in [
        (
            "blocked(x) if blocked(x)\ndeny if blocked(input.tool_name)",
            "line 1, column 1: the rule `blocked` depends on itself",
        ),
        ("a if b\nb if {\n  not a\n}\ndeny if a", "line 1, column 1: the rule `a` depends on itself"),
        ("deny if data.hooks.deny", "line 1, column 1: the rule `deny` depends on itself"),
        (nested.as_str(), "line 1, column 1: brackets are nested deeper"),
        ("deny if 0 == ---------1", "line 1, column 1: brackets are nested deeper than 12 levels, or signs"),
        ("deny if data.blocked", "line 1, column 1: this path below `data` has no value"),
        ("import data.lib\ndeny if lib.x", "line 1, column 1: this path below `data` has no value"),
    ] {
        assert!(error(text).starts_with(wanted), "{text}: {}", error(text));
    }
    // Names in texts, comments and paths of the input are not those of rules.
    let fine =
        "# deny deny\ndefault allow := false\nallow if input.tool_args.allow == \"deny\"\ndeny if not allow";
    assert_eq!(judge(&policy(fine), "bash", json!({"command": "ls"})).strength(), Strength::Deny);
    let chain: String = (0..400).map(|n| format!("r{n} if r{}\n", n + 1)).collect();
    let chain = policy(&format!("{chain}r400 if true\ndeny if r0"));
    assert_eq!(judge(&chain, "bash", json!({"command": "ls"})).strength(), Strength::Deny);
}

#[test]
fn only_a_question_for_unknown_facts_replaces_the_denial() {
    let rule = "deny contains \"m\" if { some p in input.facts.writes; startswith(p, \"migrations/\") }";
    let removes = |text: &str| judge(&policy(text), "bash", json!({"command": "rm -r $X"})).strength();
    assert_eq!(removes(rule), Strength::Deny);
    assert_eq!(
        removes(&format!("# unknown agents\n{rule}\ndeny contains \"unknown agent\" if false")),
        Strength::Deny
    );
    assert_eq!(
        removes(&format!("{rule}\ndeny contains \"m2\" if \"runs\" in input.facts.unknown")),
        Strength::NoOpinion
    );
}
