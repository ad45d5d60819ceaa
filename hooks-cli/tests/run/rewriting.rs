//! A handler changes the command of a call: the rest of the call stays as it is, and so do the client's own rules.

use hooks_protocols::Client;
use serde_json::{Value, json};

use super::{Told, World, call, pre};

/// A handler that changes `original` to `changed` in a command, and puts `mk` into a shell.
const CHANGES: &str = r#"#!/bin/sh
command=$(sed -n 's/.*"cmd": *"\([^"]*\)".*/\1/p')
case $command in
    *original*) changed=$(printf %s "$command" | sed s/original/changed/) ;;
    mk*) changed="sh -c '$command'" ;;
    *) exit 0 ;;
esac
printf '{"hook_specific_output": {"hook_event_name": "tool_input_transform", "updated_input": {"cmd": "%s"}}}' "$changed"
"#;

const RULES: &str = "version: 1
hooks:
  tool_input_transform:
    hooks: { name: changes, type: command, command: sh ../changes.sh }
";

const ALLOW: &str = "rules: [{ name: echoing, action: allow, commands: [echo], reason: it harms nobody }]\n";

/// The clients, with the name of their shell and all of its arguments but the command.
fn clients() -> [(Client, &'static str, Value); 5] {
    [
        (
            Client::Claude,
            "Bash",
            json!({"timeout": 5000, "run_in_background": true, "description": "say it", "dangerouslyDisableSandbox": false}),
        ),
        (Client::Codex, "Bash", json!({})),
        (
            Client::Gemini,
            "run_shell_command",
            json!({"description": "say it", "dir_path": "src", "is_background": true}),
        ),
        (
            Client::Copilot,
            "bash",
            json!({"description": "say it", "mode": "async", "sessionId": "1", "initial_wait": 3}),
        ),
        (Client::VsCode, "run_in_terminal", json!({"explanation": "say it", "isBackground": true})),
    ]
}

fn with_command(others: &Value, command: &str) -> Value {
    let mut arguments = others.clone();
    arguments["command"] = command.into();
    arguments
}

impl World {
    fn changing(more: &str) -> Self {
        let world = Self::new(&format!("{RULES}{more}"));
        world.write("changes.sh", CHANGES);
        world
    }

    fn called(&self, client: Client, tool: &str, arguments: &Value) -> Told {
        self.run(&["--client", client.name(), "--event", pre(client)], &call(client, tool, arguments))
    }
}

/// The decision in an answer, and the arguments in it.
fn told(client: Client, told: &Told) -> (Option<String>, Value) {
    let answer = told.answer();
    let specific = &answer["hookSpecificOutput"];
    let (decision, arguments) = match client {
        Client::Gemini => (&answer["decision"], &specific["tool_input"]),
        Client::Copilot => (&answer["permissionDecision"], &answer["modifiedArgs"]),
        _ => (&specific["permissionDecision"], &specific["updatedInput"]),
    };
    (decision.as_str().map(str::to_owned), arguments.clone())
}

/// With the command alone, Claude Code would lose the timeout, and Gemini CLI the folder. Codex CLI takes a change
/// only with an `allow`, which does not skip its own rules. In the others an `allow` would skip some of them.
#[test]
fn a_changed_command_keeps_the_rest_of_its_call_and_has_no_decision() {
    for rules in ["", ALLOW] {
        let world = World::changing(rules);
        for (client, tool, others) in clients() {
            let called = world.called(client, tool, &with_command(&others, "echo original"));
            let (decision, arguments) = told(client, &called);
            assert_eq!(arguments, with_command(&others, "echo changed"), "{client}: {called:?}");
            let expected = (client == Client::Codex).then_some("allow");
            assert_eq!(decision.as_deref(), expected, "{client}, {rules}: {called:?}");
        }
    }
}

#[test]
fn a_call_that_no_handler_changes_is_answered_as_before() {
    let world = World::changing(ALLOW);
    for (client, tool, others) in clients() {
        world.called(client, tool, &with_command(&others, "true")).is_silent();
        let called = world.called(client, tool, &with_command(&others, "echo it"));
        // Codex CLI and Gemini CLI have no such answer, and that of Copilot CLI would beat its deny list.
        let expected = matches!(client, Client::Claude | Client::VsCode).then_some("allow");
        assert_eq!(told(client, &called).0.as_deref(), expected, "{client}: {called:?}");
    }
}

/// Clients judge the changed text only: a wrapper would switch their deny lists off.
#[test]
fn a_command_that_the_lists_would_not_see_is_denied_with_the_command_to_run() {
    let world = World::changing("rules: [{ name: making, action: allow, commands: [mk], reason: fine }]\n");
    for (client, tool, others) in clients() {
        let called = world.called(client, tool, &with_command(&others, "mk no 1"));
        let (decision, arguments) = told(client, &called);
        assert_eq!((decision.as_deref(), &arguments), (Some("deny"), &Value::Null), "{client}: {called:?}");
        called.says("run this command instead: sh -c 'mk no 1'");
        // The model calls that, so the lists see it.
        let called = world.called(client, tool, &with_command(&others, "sh -c 'mk no 1'"));
        assert_ne!(told(client, &called).0.as_deref(), Some("deny"), "{client}: {called:?}");
    }
    let log = std::fs::read_to_string(world.path("home/.local/state/hooks/run.log")).unwrap();
    for part in ["gemini BeforeTool: Gemini CLI does not support `rewrite`", "denied instead"] {
        assert!(log.contains(part), "{log}");
    }
}

/// The rules of docker-agent judge what `tool_input_transform` left, and at `pre_tool_use` they have judged the
/// original.
#[test]
fn docker_agent_is_denied_only_before_its_rules() {
    let world = World::changing("");
    let payload = call(Client::DockerAgent, "shell", &json!({"cmd": "mk no 1"}));
    let called = |event: &str| {
        let payload = payload.replace("pre_tool_use", event);
        world.run(&["--client", "docker-agent", "--event", event], &payload)
    };
    let told = called("tool_input_transform");
    assert_eq!(told.answer()["decision"], "block", "{told:?}");
    told.says("run this command instead: sh -c 'mk no 1'");
    let told = called("pre_tool_use");
    assert_eq!(told.answer()["hook_specific_output"]["updated_input"]["cmd"], "sh -c 'mk no 1'", "{told:?}");
}
