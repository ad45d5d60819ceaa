//! The record of an event has the answer that its client received.

use std::fs;

use serde_json::{Value, json};

use super::{Told, World, claude, clients};

/// The records of a log, in order.
pub(super) fn records(world: &World) -> Vec<Value> {
    let Ok(files) = fs::read_dir(world.path("app/audit-log")) else { return Vec::new() };
    let mut records = Vec::new();
    for file in files {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            records.extend(
                [&line, &line["r"], &line["record"]].into_iter().find(|it| it["seq"].is_u64()).cloned(),
            );
        }
    }
    records.retain(|record| record["event"].as_str().is_some_and(|event| !event.starts_with("log.")));
    records.sort_by_key(|record| record["seq"].as_u64());
    records
}

/// The record of the last event.
fn last(world: &World) -> Value {
    records(world).pop().unwrap_or_default()
}

const RULES: &str = r#"version: 1
audit: { folder: audit-log }
redaction: {}
rules:
  - { name: pushing, action: ask, commands: [git push], reason: think twice }
  - { name: no make, action: deny, commands: [make], reason: no make }
  - { name: listing, action: allow, commands: [ls], reason: it only looks }
"#;

fn codex(command: &str) -> String {
    claude("Bash", &json!({ "command": command })).replace("prompt_id", "turn_id")
}

#[test]
fn a_record_has_the_decision_and_the_answer() {
    let world = World::new(RULES);
    let cases: [(&str, String, &str, &str, Value); 6] = [
        ("codex", codex("git push"), "ask", "deny", json!([{"wish": "ask", "instead": "denied"}])),
        ("codex", codex("make"), "deny", "deny", Value::Null),
        ("claude", claude("Bash", &json!({"command": "git push"})), "ask", "ask", Value::Null),
        ("claude", claude("Bash", &json!({"command": "ls"})), "allow", "allow", Value::Null),
        ("claude", claude("Bash", &json!({"command": "pwd"})), "no_opinion", "none", Value::Null),
        (
            "claude",
            json!({"session_id": "s", "transcript_path": "/t", "cwd": "/home/ada/app", "prompt_id": "p",
                "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_use_id": "t",
                "tool_input": {"command": "cat x"}, "error": "no mail to ada@example.com"})
            .to_string(),
            "no_opinion",
            "none",
            json!([{"wish": "rewrite", "instead": "not_enforced"}]),
        ),
    ];
    for (at, (client, payload, outcome, answered, degraded)) in cases.into_iter().enumerate() {
        let told = world.run(&["--client", client], &payload);
        let record = last(&world);
        assert_eq!(records(&world).len(), at + 1, "one record an event");
        assert_eq!(
            (&record["outcome"], &record["answered"], &record["degraded"]),
            (&json!(outcome), &json!(answered), &degraded),
            "{client} {payload}: {told:?} {record}"
        );
    }
}

/// Squad's session hook cannot reject a prompt: the record states that the denial was not enforced.
#[test]
fn a_denial_that_is_not_enforced_is_recorded_as_such() {
    let world = World::new(
        "version: 1\naudit: { folder: audit-log }\nask_user: { max_per_session: 0 }\nhooks:\n  user_prompt_submit: [{ name: no, type: command, command: 'echo no >&2; exit 2' }]\n",
    );
    let payload = json!({"sessionId": "s", "cwd": "/home/ada/app", "timestamp": 1, "prompt": "do it"});
    let prompt = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/home/ada/app", "prompt_id": "p",
        "hook_event_name": "UserPromptSubmit", "prompt": "do it"});
    let told = world.run(&["--client", "claude"], &prompt.to_string());
    let record = last(&world);
    assert_eq!((&record["outcome"], &record["answered"]), (&json!("deny"), &json!("block")), "{told:?}");
    let told = world.run(&["--client", "squad", "--event", "onUserPromptSubmitted"], &payload.to_string());
    let record = last(&world);
    assert_eq!(record["outcome"], "deny", "{told:?} {record}");
    assert_eq!(record["answered"], "none", "{told:?} {record}");
    assert_eq!(record["degraded"], json!([{"wish": "deny", "instead": "not_enforced"}]), "{record}");
}

/// For each recorded payload and each decision, the record agrees with the model of the clients.
#[test]
fn the_recorded_answer_is_the_one_that_the_client_obeys() {
    for action in ["ask", "deny", "allow"] {
        let rule = format!("rules: [{{ name: r, tools: ['*'], action: {action}, reason: so }}]\n");
        let world = World::new(&format!("version: 1\naudit: {{ folder: audit-log }}\n{rule}"));
        for sent in clients::payloads() {
            // Copilot CLI sends a call in two forms to two lines of its settings, and it is recorded once.
            drop(fs::remove_dir_all(world.path("home/.local/state/hooks/calls")));
            let Told { exit, stdout, stderr } =
                world.run(&["--client", sent.client.name(), "--event", &sent.event], &sent.stdin);
            let record = last(&world);
            let answered = record["answered"].as_str().unwrap_or_default();
            let exit = u8::try_from(exit.unwrap()).unwrap();
            if stdout.is_empty() && exit == 0 {
                assert_eq!(answered, "none", "{action} {} {}", sent.client, sent.event);
            }
            if !sent.event.eq_ignore_ascii_case("PreToolUse") && sent.event != "BeforeTool" {
                continue;
            }
            let effect = clients::honoured(sent.client, &sent.event, exit, &stderr, &stdout);
            let is_denied = matches!(answered, "ask" | "deny" | "block" | "stop");
            assert_eq!(
                effect == clients::Effect::Denied,
                is_denied,
                "{action} {} {}: {stdout} {record}",
                sent.client,
                sent.event
            );
            if answered != record["outcome"] && answered != "none" {
                assert!(record["degraded"].is_array(), "{record}");
            }
        }
    }
}

/// The record is on the disk before the answer, and a call that cannot be recorded is denied.
#[test]
fn a_call_that_cannot_be_recorded_is_denied() {
    let world = World::new(RULES);
    world.write("app/audit-log", "a file in the place of the folder");
    let told = world.claude("Write", &json!({"file_path": "/home/ada/app/x", "content": ""}));
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    told.says("log");
}

/// The chain verifies, and the new option selects records by the answer.
#[test]
fn the_log_is_verified_and_queried_by_the_answer() {
    let world = World::new(RULES);
    world.run(&["--client", "codex"], &codex("git push"));
    world.run(&["--client", "codex"], &codex("make"));
    world.run(&["--client", "codex"], &codex("pwd"));
    let audit = |args: &[&str]| world.program("audit", args, "");
    let denied = audit(&["--log", &world.path("app/audit-log"), "query", "--answered", "deny"]);
    assert_eq!(denied.stdout.lines().count(), 2, "{denied:?}");
    let verified = audit(&["--log", &world.path("app/audit-log"), "verify"]);
    assert_eq!(verified.exit, Some(0), "{verified:?}");
}

/// The records of `hooks run` and `hooks eval` name the rules that decided, as the answer of `hooks eval` does.
#[test]
fn every_record_names_the_rules_that_decided() {
    let world = World::new(RULES);
    let run = || {
        world.claude("Bash", &json!({"command": "make"})).says("make");
        last(&world)["rules"].as_str().unwrap().to_owned()
    };
    let eval = || {
        let event = json!({"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": "make"}});
        let told = world.program("eval", &["-c", "hooks.yaml", "--record"], &event.to_string());
        let answered = told.answer()["rules"].as_str().unwrap().to_owned();
        assert_eq!(last(&world)["rules"], answered.as_str());
        answered
    };
    let before = run();
    assert_eq!((before.len(), eval()), (16, before.clone()));
    world.write("app/hooks.yaml", &RULES.replace("no make }", "never make }"));
    world.sessions_begin();
    let after = run();
    assert_eq!(eval(), after);
    assert_ne!(before, after);
    let named: Vec<_> = records(&world).iter().map(|record| record["rules"].clone()).collect();
    assert_eq!(named, [&before, &before, &after, &after].map(|version| json!(version)));
}
