//! Random policies and calls: the verdict is what the evaluator of Cedar answers when it is asked directly, about a request that
//! this file builds in its own way, from JSON.
// The helpers are tests as well, because the lints exempt tests.
#![cfg(test)]

use std::collections::HashSet;

use cedar_policy::{Authorizer, Context, Decision, Entities, EntityUid, PolicySet, Request, Response};
use hooks_cedar::{CedarConfig, CedarPolicy, DefaultAnswer};
use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, ReasonKind, Strength};
use hooks_facts::calls::CallReader;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A call, and what is known about it without the code that is tested.
#[derive(Clone, Debug)]
struct Case {
    agent: &'static str,
    tool: &'static str,
    kinds: &'static [&'static str],
    input: Value,
    /// Files, folders and programs; `None` if they are not known.
    facts: Option<(Vec<&'static str>, Vec<&'static str>, Vec<&'static str>)>,
}

fn case() -> impl Strategy<Value = Case> {
    let shell = prop_oneof![
        Just(("ls", Some((vec![], vec![], vec!["ls"])))),
        Just(("echo > docs/a.md", Some((vec!["docs", "docs/a.md"], vec![], vec!["echo"])))),
        Just(("cat src/x/b.rs", Some((vec![], vec!["src", "src/x", "src/x/b.rs"], vec!["cat"])))),
        Just(("$X", None)),
    ];
    let shell = shell
        .prop_map(|(command, facts)| ("bash", &["runs_commands"][..], json!({ "command": command }), facts));
    let write = prop_oneof![Just("docs/a.md"), Just("./src/../docs/a.md")].prop_map(|path| {
        let facts = Some((vec!["docs", "docs/a.md"], vec![], vec![]));
        ("Write", &["writes_files"][..], json!({"file_path": path, "content": "x"}), facts)
    });
    let plain = prop_oneof![
        Just(json!(7)),
        Just(json!(-8)),
        Just(json!("seven")),
        Just(json!([7, 7, "a"])),
        Just(json!(true)),
        Just(json!({"deep": 7}))
    ];
    let ask = plain.prop_map(|n| {
        ("AskUserQuestion", &["asks_user"][..], json!({ "n": n }), Some((vec![], vec![], vec![])))
    });
    let agent = prop_oneof![Just(""), Just("dba"), Just("Kane")];
    (agent, prop_oneof![shell, write, ask]).prop_map(|(agent, (tool, kinds, input, facts))| Case {
        agent,
        tool,
        kinds,
        input,
        facts,
    })
}

/// The text of a policy that fits the schema.
fn policy() -> impl Strategy<Value = String> {
    let effect = prop_oneof![Just("permit"), Just("forbid")];
    let principal =
        prop_oneof![Just(""), Just(" == Agent::\"dba\""), Just(" == Agent::\"\""), Just(" is Agent")];
    let action = prop_oneof![
        Just(""),
        Just(" == Action::\"bash\""),
        Just(" in [Action::\"Write\", Action::\"AskUserQuestion\"]"),
        Just(" in Kind::Action::\"runs_commands\""),
        Just(" in Kind::Action::\"writes_files\""),
    ];
    let resource = prop_oneof![Just(""), Just(" == Workspace::\"/repo\""), Just(" == Workspace::\"/\"")];
    let condition = prop_oneof![
        Just("true"),
        Just("context.writes.contains(\"docs\")"),
        Just("context.reads.containsAny([\"src/x\", \"lib\"])"),
        Just("context.runs.contains(\"ls\")"),
        Just("context has tenant"),
        Just("context.session == \"session-1\" && context.event like \"pre_*\""),
        Just("context.input has command && context.input.command like \"*ls*\""),
        Just("context.input has n && context.input.n > 0"),
        Just("context.input has n && context.input.n.contains(7)"),
        Just("context.input has n && context.input.n == {\"deep\": 7}"),
        Just("principal == Agent::\"Kane\" && context.writes.isEmpty()"),
    ];
    let clause = (prop_oneof![Just("when"), Just("unless")], condition);
    let clauses = prop::collection::vec(clause, 0..3);
    (effect, principal, action, resource, clauses).prop_map(
        |(effect, principal, action, resource, clauses)| {
            let clauses: String =
                clauses.iter().map(|(word, condition)| format!(" {word} {{ {condition} }}")).collect();
            format!("{effect} (principal{principal}, action{action}, resource{resource}){clauses};\n")
        },
    )
}

/// The answer of Cedar itself.
fn of_cedar(policies: &str, case: &Case) -> Response {
    let policies: PolicySet = policies.parse().unwrap();
    let mut context = json!({"input": case.input, "session": "session-1", "event": "pre_tool_use"});
    if let Some((writes, reads, runs)) = &case.facts {
        context["writes"] = json!(writes);
        context["reads"] = json!(reads);
        context["runs"] = json!(runs);
    }
    let kinds: Vec<_> = case.kinds.iter().map(|kind| json!({"type": "Kind::Action", "id": kind})).collect();
    let tool = json!({"type": "Action", "id": case.tool});
    let entities = json!([{"uid": tool, "attrs": {}, "parents": kinds}]);
    let entities = Entities::from_json_value(entities, None).unwrap();
    let id = |kind: &str, name: &str| format!("{kind}::{}", json!(name)).parse::<EntityUid>().unwrap();
    let request = Request::new(
        id("Agent", case.agent),
        id("Action", case.tool),
        id("Workspace", "/repo"),
        Context::from_json_value(context, None).unwrap(),
        None,
    );
    Authorizer::new().is_authorized(&request.unwrap(), &policies, &entities)
}

fn check(policies: &[String], case: &Case, default: DefaultAnswer) -> Result<(), TestCaseError> {
    let text = policies.concat();
    let mut config = CedarConfig::new("random.cedar", text.clone());
    config.default = default;
    let policy = CedarPolicy::new(&config, &CallReader::default());
    let policy = policy.map_err(|errors| TestCaseError::fail(format!("{errors}\n{text}")))?;
    let (environment, ..) = world(FakeFileSystem::default());
    let context = HookContext::new("session-1", case.agent).in_dir("/repo").with_environment(environment);
    let verdict = policy.judge(&HookRequest::new(context, PreToolUse::new(case.tool, case.input.clone())));

    let answer = of_cedar(&text, case);
    let (reasons, errors) = (answer.diagnostics().reason(), answer.diagnostics().errors());
    let errors: HashSet<_> = errors.map(ToString::to_string).collect();
    let forbids: HashSet<_> = match answer.decision() {
        Decision::Deny => reasons.map(ToString::to_string).collect(),
        Decision::Allow => HashSet::new(),
    };
    let is_default = answer.decision() == Decision::Deny && forbids.is_empty();
    let is_denied = !errors.is_empty() || !forbids.is_empty() || is_default && default == DefaultAnswer::Deny;
    let wanted = if is_denied { Strength::Deny } else { Strength::NoOpinion };
    prop_assert_eq!(verdict.strength(), wanted, "{:?} {}", case, text);

    let (failed, others): (Vec<_>, Vec<_>) =
        verdict.reasons().iter().partition(|reason| reason.kind == ReasonKind::Failure);
    let of_policies = others.iter().filter(|reason| reason.rule != "default");
    prop_assert_eq!(of_policies.map(|reason| reason.rule.to_string()).collect::<HashSet<_>>(), forbids);
    prop_assert_eq!(failed.len(), errors.len());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn verdicts_are_those_of_the_evaluator(
        policies in prop::collection::vec(policy(), 0..6),
        case in case(),
        is_closed in any::<bool>(),
    ) {
        let default = if is_closed { DefaultAnswer::Deny } else { DefaultAnswer::NoOpinion };
        check(&policies, &case, default)?;
    }
}
