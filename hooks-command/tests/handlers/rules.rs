//! The merged answers of several handlers, in both profiles: scripted commands through the engine.

use crate::common::{Script, ask};
use hooks_command::{Lane, NearMiss, Profile, Rules};
use serde_json::{Value, json};

const SEPTEMBER: Rules = Rules::exactly(Profile::September);
const JULY: Rules = Rules::exactly(Profile::July);

fn command(name: &str) -> Value {
    json!({"type": "command", "command": name})
}

/// An event about a tool, all of whose handlers are in one entry.
fn about_tools(rules: Rules, event: &str, handlers: &[Value], script: &Script) -> Value {
    let input = json!({
        "session_id": "s", "tool_name": "edit_file", "tool_use_id": "c7",
        "tool_input": {"path": "a.txt", "text": "x", "options": {"mode": 7}}, "tool_response": "done"
    });
    ask(
        rules,
        &json!({event: [{"matcher": "edit_.*", "hooks": handlers}]}),
        event,
        Lane::Ordinary,
        input,
        script,
    )
}

fn flat(rules: Rules, event: &str, handlers: &[Value], script: &Script) -> Value {
    ask(rules, &json!({ event: handlers }), event, Lane::Ordinary, json!({"session_id": "s"}), script)
}

fn specific(fields: &Value) -> String {
    json!({ "hook_specific_output": fields }).to_string()
}

#[test]
fn a_failure_closes_a_guard_in_september_and_not_in_july() {
    let script = Script::new([("g", json!({"exit_code": 127, "stderr": "jq: no\n"}))]);
    let ignoring = json!({"type": "command", "command": "g", "on_error": "ignore", "name": "the guard"});
    let merged = about_tools(SEPTEMBER, "pre_tool_use", std::slice::from_ref(&ignoring), &script);
    assert_eq!(
        (&merged["allowed"], &merged["exit_code"], &merged["stderr"]),
        (&json!(false), &json!(-1), &json!("jq: no\n"))
    );
    assert!(merged["message"].as_str().unwrap().contains("hook \"the guard\": exited with status 127"));
    assert_eq!(about_tools(JULY, "pre_tool_use", &[ignoring], &script), json!({"allowed": true}));
}

#[test]
fn on_error_decides_elsewhere() {
    let script = Script::new([("x", json!({"spawn_error": "no memory"}))]);
    let with = |on_error: &str| json!({"type": "command", "command": "x", "on_error": on_error});
    for (event, on_error, allowed, told) in [
        ("user_prompt_submit", "warn", true, true),
        ("user_prompt_submit", "ignore", true, false),
        ("user_prompt_submit", "block", false, false),
        ("before_llm_call", "block", false, false),
        ("worktree_create", "warn", true, true),
        ("turn_end", "warn", true, true),
    ] {
        let merged = flat(SEPTEMBER, event, &[with(on_error)], &script);
        assert_eq!(merged["allowed"], allowed, "{event} {on_error}");
        assert_eq!(merged.get("system_message").is_some(), told, "{event} {on_error}");
    }
    assert_eq!(flat(JULY, "turn_end", &[with("warn")], &script), json!({"allowed": true}));
    assert_eq!(flat(JULY, "turn_end", &[with("block")], &script)["allowed"], false);
}

#[test]
fn without_on_error_what_guards_is_closed_unless_the_rules_are_docker_agents() {
    let script = Script::new([("x", json!({"exit_code": 1}))]);
    for event in [
        "user_prompt_submit",
        "user_steering_messages_submit",
        "user_followup_submit",
        "before_llm_call",
        "worktree_create",
    ] {
        let ours = Rules::for_profile(Profile::September);
        assert_eq!(flat(ours, event, &[command("x")], &script)["allowed"], false, "{event}");
        let opened = json!({"type": "command", "command": "x", "on_error": "warn"});
        assert_eq!(flat(ours, event, &[opened], &script)["allowed"], true, "{event}");
        for rules in [SEPTEMBER, JULY, Rules::for_profile(Profile::July)] {
            assert_eq!(flat(rules, event, &[command("x")], &script)["allowed"], true, "{event} {rules:?}");
        }
    }
    for (event, allowed) in [
        ("tool_input_transform", false),
        ("tool_response_transform", false),
        ("post_tool_use", true),
        ("permission_request", true),
    ] {
        let ours = Rules::for_profile(Profile::September);
        assert_eq!(about_tools(ours, event, &[command("x")], &script)["allowed"], allowed, "{event}");
        assert_eq!(about_tools(SEPTEMBER, event, &[command("x")], &script)["allowed"], true, "{event}");
    }
}

#[test]
fn a_block_where_nothing_can_be_blocked_is_told() {
    let script = Script::new([
        ("two", json!({"exit_code": 2, "stderr": "no"})),
        ("both", json!({"stdout": r#"{"continue": false, "decision": "block", "system_message": "hm"}"#})),
    ]);
    let merged = flat(SEPTEMBER, "notification", &[command("two"), command("both")], &script);
    let told = "notification hook \"two\" returned exit 2, but this event cannot block\n\
                notification hook \"both\" returned a block, but this event cannot block\nhm";
    assert_eq!(merged, json!({"allowed": true, "system_message": told}));
    assert_eq!(flat(JULY, "notification", &[command("two")], &script)["allowed"], false);
}

#[test]
fn the_last_that_ended_badly_gives_status_and_errors() {
    let script = Script::new([
        ("a", json!({"exit_code": 2, "stderr": " first \n"})),
        ("b", json!({"exit_code": 9})),
        ("c", json!({"exit_code": 2})),
    ]);
    let merged = about_tools(SEPTEMBER, "pre_tool_use", &[command("a"), command("b")], &script);
    assert_eq!((&merged["exit_code"], merged.get("stderr")), (&json!(-1), None));
    let merged = about_tools(SEPTEMBER, "pre_tool_use", &[command("a"), command("c")], &script);
    assert_eq!(
        (&merged["exit_code"], &merged["stderr"], &merged["message"]),
        (&json!(2), &json!(" first \n"), &json!("first"))
    );
}

#[test]
fn verdicts_merge_by_strength_and_a_block_stands_beside_them() {
    let verdict = |word: &str, why: &str| json!({"stdout": specific(&json!({"permission_decision": word, "permission_decision_reason": why}))});
    let script = Script::new([
        ("allow", verdict("allow", "fine")),
        ("ask", verdict("ask", "hm")),
        ("ask too", verdict("ask", "also hm")),
        ("deny", verdict("deny", "")),
        ("block", json!({"stdout": r#"{"decision": "block"}"#})),
    ]);
    let all = |names: &[&str]| {
        let handlers: Vec<_> = names.iter().map(|name| command(name)).collect();
        about_tools(SEPTEMBER, "tool_guard", &handlers, &script)
    };
    assert_eq!(
        all(&["ask", "ask too", "allow"]),
        json!({"allowed": true, "decision": "ask", "decision_reason": "hm"})
    );
    assert_eq!(all(&["allow", "deny", "ask"]), json!({"allowed": false, "decision": "deny"}));
    assert_eq!(
        all(&["block", "allow"]),
        json!({"allowed": false, "decision": "allow", "decision_reason": "fine"})
    );
    let merged = about_tools(JULY, "pre_tool_use", &[command("allow"), command("deny")], &script);
    assert_eq!(merged, json!({"allowed": false, "decision": "deny", "additional_context": "fine"}));
    let request = about_tools(SEPTEMBER, "permission_request", &[command("ask"), command("allow")], &script);
    assert_eq!(request, json!({"allowed": true, "permission_allowed": true, "decision_reason": "fine"}));
}

#[test]
fn patches_chain_over_the_whole_and_a_failed_one_is_dropped() {
    let patch = |fields: &Value| json!({"stdout": specific(&json!({ "updated_input": fields }))});
    let mut broken = patch(&json!({"text": "lost"}));
    broken["exit_code"] = json!(1);
    let script = Script::new([
        ("a", patch(&json!({"path": "b.txt", "options": null}))),
        ("b", broken),
        ("c", patch(&json!({"text": "y", "new": [1]}))),
    ]);
    let handlers = [command("a"), command("b"), command("c")];
    let merged = about_tools(SEPTEMBER, "tool_input_transform", &handlers, &script);
    assert_eq!(merged["updated_input"], json!({"path": "b.txt", "text": "y", "options": null, "new": [1]}));
    let seen = script.seen("c");
    assert_eq!(seen[0]["tool_input"], json!({"path": "b.txt", "text": "x", "options": null}));
    let merged = about_tools(JULY, "pre_tool_use", &handlers, &script);
    assert_eq!(merged["updated_input"], json!({"path": "b.txt", "options": null, "text": "y", "new": [1]}));
}

#[test]
fn responses_and_messages_chain_and_what_is_empty_counts_for_one() {
    let script = Script::new([
        ("wipe", json!({"stdout": specific(&json!({"updated_tool_response": ""}))})),
        ("see", json!({})),
        ("no messages", json!({"stdout": specific(&json!({"updated_messages": []}))})),
        (
            "messages",
            json!({"stdout": specific(&json!({"updated_messages": [{"role": "user", "content": "b"}]}))}),
        ),
    ]);
    let merged =
        about_tools(SEPTEMBER, "tool_response_transform", &[command("wipe"), command("see")], &script);
    assert_eq!(merged, json!({"allowed": true, "updated_tool_response": ""}));
    assert_eq!(script.seen("see")[0]["tool_response"], "");
    let merged = flat(SEPTEMBER, "before_llm_call", &[command("messages"), command("no messages")], &script);
    assert_eq!(merged, json!({"allowed": true, "updated_messages": [{"role": "user", "content": "b"}]}));
}

#[test]
fn context_goes_where_it_is_read() {
    let script = Script::new([
        ("text", json!({"stdout": "  said \n"})),
        (
            "object",
            json!({"stdout": specific(&json!({"additional_context": " kept ", "instruction_context": [{"key": "k"}]}))}),
        ),
    ]);
    let handlers = [command("text"), command("object")];
    let merged = flat(SEPTEMBER, "turn_start", &handlers, &script);
    let wanted =
        json!({"allowed": true, "additional_context": "said\n kept ", "instruction_context": [{"key": "k"}]});
    assert_eq!(merged, wanted);
    assert_eq!(flat(SEPTEMBER, "stop", &handlers, &script), json!({"allowed": true}));
    assert_eq!(flat(JULY, "stop", &handlers, &script)["additional_context"], "said\n kept ");
    assert_eq!(about_tools(SEPTEMBER, "pre_tool_use", &handlers, &script), json!({"allowed": true}));
    assert_eq!(about_tools(JULY, "pre_tool_use", &handlers[1..], &script)["additional_context"], " kept ");
}

#[test]
fn a_strict_handler_says_nothing_that_its_event_has_no_use_for() {
    for (event, output) in [
        ("tool_guard", specific(&json!({"updated_input": {}}))),
        ("tool_guard", specific(&json!({"additional_context": "x"}))),
        ("pre_tool_use", specific(&json!({"metadata": {}}))),
        ("pre_tool_use", specific(&json!({"hook_event_name": "tool_guard"}))),
        ("pre_tool_use", json!({"suppress_output": true}).to_string()),
        ("pre_tool_use", json!({"hook_specific_output": {"note": 1}}).to_string()),
    ] {
        let script = Script::new([("s", json!({"stdout": output}))]);
        let strict = json!({"type": "command", "command": "s", "strict_output": true});
        assert_eq!(about_tools(SEPTEMBER, event, &[strict], &script)["allowed"], false, "{event} {output}");
        assert_eq!(
            about_tools(SEPTEMBER, event, &[command("s")], &script)["allowed"],
            true,
            "{event} {output}"
        );
    }
}

#[test]
fn near_misses_deny_unless_docker_agents_own_rules_are_asked_for() {
    let rules = Rules { near_miss: NearMiss::Tell, ..SEPTEMBER };
    for output in [
        "checking\n{\"decision\": \"block\"}",
        "\u{feff}{\"decision\": \"block\"}",
        "{\"hookSpecificOutput\": {\"permissionDecision\": \"deny\"}}",
        "{\"permission_decision\": \"deny\"}",
    ] {
        let script = Script::new([("n", json!({"stdout": output}))]);
        assert_eq!(
            about_tools(SEPTEMBER, "pre_tool_use", &[command("n")], &script)["allowed"],
            true,
            "{output}"
        );
        assert_eq!(
            about_tools(rules, "pre_tool_use", &[command("n")], &script)["allowed"],
            false,
            "{output}"
        );
        let merged = flat(rules, "turn_end", &[command("n")], &script);
        assert!(merged["allowed"] == true && merged["system_message"].is_string(), "{output}: {merged}");
    }
    let script = Script::new([("n", json!({"stdout": "{\"hookSpecificOutput\": {\"summary\": \"s\"}}"}))]);
    let merged = flat(rules, "before_compaction", &[command("n")], &script);
    assert!(merged["system_message"].as_str().unwrap().contains("write `hook_specific_output`"), "{merged}");
}

#[test]
fn what_stands_there_twice_runs_once() {
    let both = |rules: Rules, other: Value| {
        let script = Script::new([("a", json!({})), ("b", json!({}))]);
        flat(rules, "session_end", &[command("a"), other], &script);
        script.seen("a").len()
    };
    for (other, september) in [
        (command("a"), 1),
        (json!({"type": "command", "command": "a", "args": [], "env": {}, "timeout": 0}), 1),
        (json!({"type": "command", "command": "a", "timeout": 60}), 2),
        (json!({"type": "command", "command": "a", "on_error": "warn"}), 2),
        (json!({"type": "command", "command": "a", "name": "other"}), 2),
        (json!({"type": "command", "command": "a", "working_dir": "/"}), 2),
    ] {
        assert_eq!(both(SEPTEMBER, other.clone()), september, "{other}");
        assert_eq!(both(JULY, other.clone()), 1, "{other}");
    }
    assert_eq!(both(JULY, json!({"type": "command", "command": "a", "args": ["x"]})), 2);
}

#[test]
fn the_lane_that_preempts_has_entries_of_its_own() {
    let block = json!({"pre_tool_use": [
        {"hooks": [command("ordinary")]},
        {"preempt_yolo": true, "hooks": [command("first")]}
    ]});
    let script = Script::new([
        (
            "first",
            json!({"stdout": specific(&json!({
                "permission_decision": "ask", "metadata": {"risk": "high"}, "updated_input": {"x": 1}
            }))}),
        ),
        ("ordinary", json!({"exit_code": 2})),
    ]);
    let input = || json!({"tool_name": "t", "tool_input": {}});
    let merged = ask(SEPTEMBER, &block, "pre_tool_use", Lane::Preempt, input(), &script);
    assert_eq!(merged, json!({"allowed": true, "decision": "ask", "metadata": {"risk": "high"}}));
    assert_eq!(script.seen("first")[0]["hook_event_name"], "pre_tool_use");
    assert_eq!(ask(SEPTEMBER, &block, "pre_tool_use", Lane::Ordinary, input(), &script)["allowed"], false);
}

#[test]
fn time_is_up_for_each_alone() {
    let script = Script::new([
        ("slow", json!({"sleep_ms": 5000, "stdout": "late"})),
        ("fast", json!({"sleep_ms": 900, "stdout": "in time"})),
    ]);
    let with = |name: &str| json!({"type": "command", "command": name, "timeout": 1});
    let merged = flat(SEPTEMBER, "session_start", &[with("slow"), with("fast")], &script);
    assert_eq!(merged["additional_context"], "in time");
    assert!(merged["system_message"].as_str().unwrap().contains("did not answer within 1 s"));
    assert_eq!(script.elapsed(), 1000);
}
