//! Random modules and calls: the verdict is what the evaluator of regorus answers when it is asked directly, with an input that this
//! file writes in its own way.
// The helpers are tests as well, because the lints exempt tests.
#![cfg(test)]

use std::collections::BTreeSet;

use hooks_core::event::PreToolUse;
use hooks_core::testing::{FakeFileSystem, world};
use hooks_core::{HookContext, HookRequest, Policy, Strength};
use hooks_facts::calls::CallReader;
use hooks_rego::{RegoConfig, RegoPolicy};
use proptest::prelude::*;
use regorus::{Engine, Value as RegoValue};
use serde_json::{Value, json};

/// A call: agent, tool, arguments, and its facts.
type Case = (&'static str, &'static str, Value, Value);

fn case() -> impl Strategy<Value = Case> {
    let known = |writes: Value, reads: Value, runs: Value| json!({"writes": writes, "reads": reads, "runs": runs, "unknown": []});
    let call = prop_oneof![
        Just(("bash", json!({"command": "ls"}), known(json!([]), json!([]), json!(["ls"])))),
        Just((
            "bash",
            json!({"command": "echo > docs/a.md"}),
            known(json!(["docs/a.md"]), json!([]), json!(["echo"]))
        )),
        Just((
            "bash",
            json!({"command": "cat $X"}),
            json!({"writes": [], "runs": ["cat"], "unknown": ["reads"]})
        )),
        Just((
            "Write",
            json!({"file_path": "./docs/../a", "content": "x"}),
            known(json!(["a"]), json!([]), json!([]))
        )),
        Just((
            "AskUserQuestion",
            json!({"n": 7, "list": [1, 2.5, null, "a"]}),
            known(json!([]), json!([]), json!([]))
        )),
    ];
    (prop_oneof![Just(""), Just("dba")], call)
        .prop_map(|(agent, (tool, input, facts))| (agent, tool, input, facts))
}

fn rule() -> impl Strategy<Value = String> {
    let head = prop_oneof![
        Just("deny contains \"a\""),
        Just("deny contains {\"msg\": \"b\", \"rule\": \"named\"}"),
        Just("deny contains sprintf(\"%v\", [input.tool_name])"),
        Just("deny contains 7"),
        Just("ask contains \"c\""),
        Just("allow"),
    ];
    let condition = prop_oneof![
        Just("input.tool_name == \"bash\""),
        Just("input.at.agent_name != \"dba\""),
        Just("\"ls\" in input.facts.runs"),
        Just("some path in input.facts.writes; startswith(path, \"docs/\")"),
        Just("\"reads\" in input.facts.unknown"),
        Just("not input.tool_args.n"),
        Just("input.tool_args.n > 3"),
        Just("some item in input.tool_args.list; item == 2.5"),
        Just("regex.match(`^e.*md$`, input.tool_args.command)"),
        Just("to_number(input.tool_args.command) > 1"),
        Just("10 / (input.tool_args.n - 7) > 0"),
        Just("every name in input.facts.writes { endswith(name, \".md\") }"),
    ];
    (head, prop::collection::btree_set(condition, 1..3)).prop_map(|(head, all)| {
        format!("{head} if {{ {} }}\n", all.into_iter().collect::<Vec<_>>().join("; "))
    })
}

/// The answers of the evaluator, by rule: `None` if one failed or has a value that is no list of messages.
fn of_regorus(module: &str, input: &Value) -> Option<(Strength, BTreeSet<String>)> {
    let mut engine = Engine::new();
    engine.set_strict_builtin_errors(true);
    engine.add_policy("direct.rego".to_owned(), module.to_owned()).unwrap();
    engine.set_input(RegoValue::from_json_str(&input.to_string()).unwrap());
    let (mut strongest, mut messages) = (Strength::NoOpinion, BTreeSet::new());
    for (rule, strength) in [("deny", Strength::Deny), ("ask", Strength::Ask), ("allow", Strength::Allow)] {
        if !module.contains(&format!("\n{rule} ")) {
            continue;
        }
        let value = engine.eval_rule(format!("data.hooks.{rule}")).ok()?;
        match value {
            RegoValue::Undefined => {}
            RegoValue::Bool(true) => strongest = strongest.max(strength),
            RegoValue::Set(_) => {
                let Value::Array(found) = serde_json::to_value(&value).unwrap() else { return None };
                for message in found {
                    let message = if message.is_object() { message["msg"].clone() } else { message };
                    messages.insert(message.as_str()?.to_owned());
                    strongest = strongest.max(strength);
                }
            }
            _ => return None,
        }
    }
    Some((strongest, messages))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn verdicts_are_those_of_the_evaluator(rules in prop::collection::vec(rule(), 1..5), case in case()) {
        let (agent, tool, args, facts) = case;
        // The module looks at what is unknown itself.
        let module = format!("package hooks\n# unknown\n{}", rules.concat());
        let policy = RegoPolicy::new(&RegoConfig::new("random.rego", module.clone()), &CallReader::default());
        let policy = policy.map_err(|error| TestCaseError::fail(format!("{error}\n{module}")))?;
        let (environment, ..) = world(FakeFileSystem::default());
        let context = HookContext::new("s", agent).in_dir("/repo").with_environment(environment);
        let verdict = policy.judge(&HookRequest::new(context, PreToolUse::new(tool, args.clone())));

        let input = json!({"event": "pre_tool_use", "tool_name": tool, "tool_args": args, "facts": facts,
            "at": {"session_id": "s", "agent_name": agent, "cwd": "/repo"}});
        match of_regorus(&module, &input) {
            Some((strength, messages)) => {
                let told: BTreeSet<_> = verdict.reasons().iter().map(|reason| reason.message.clone()).collect();
                prop_assert_eq!((verdict.strength(), told), (strength, messages), "{}", module);
            }
            None => prop_assert_eq!(verdict.strength(), Strength::Deny, "{}", module),
        }
    }
}
