//! Calls that a client reports through several lines of its settings: each line decides, and one call counts once.

use std::fs;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};

use super::{Told, World};

const TWO: &str = "version: 1\naudit: {}\nlimits: { calls: [{ tools: [bash, write], most: 2, of: session, per: session }] }\n";

const GEMINI: [&str; 4] = ["--client", "gemini", "--event", "BeforeTool"];

fn gemini(command: &str) -> String {
    json!({"session_id": "s", "transcript_path": "/t", "cwd": "/home/ada/app", "hook_event_name": "BeforeTool",
        "timestamp": "2026-11-24T03:12:11.605Z", "tool_name": "run_shell_command", "tool_input": {"command": command}})
    .to_string()
}

/// A call of Copilot CLI, as it sends it to lines of its own and to those of other clients.
fn copilot(tool: &str, arguments: &Value) -> (String, String) {
    let own = json!({"sessionId": "s", "timestamp": 1_795_489_931_605_u64, "cwd": "/home/ada/app", "toolName": tool, "toolArgs": arguments});
    let other = json!({"hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-24T03:12:11.605Z",
        "cwd": "/home/ada/app", "tool_name": if tool == "bash" { "Bash" } else { "Write" }, "tool_input": arguments});
    (own.to_string(), other.to_string())
}

impl World {
    /// The number of records of calls.
    fn records(&self) -> usize {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let output = Command::new(env!("CARGO_BIN_EXE_hooks"))
            .args(["audit", "--config", "hooks.yaml", "tail", "--json"])
            .current_dir(self.path("app"))
            .env("HOME", self.path("home"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().filter(|line| line.contains("tool_use") || line.contains("permission")).count()
    }
}

/// The answers of all lines to a call, which run at once.
fn at_once(world: &World, lines: &[Vec<&str>], payload: &str) -> Vec<Told> {
    thread::scope(|scope| {
        let running: Vec<_> =
            lines.iter().map(|line| scope.spawn(move || world.run(line, payload))).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn are_silent(told: &[Told]) {
    for told in told {
        told.is_silent();
    }
}

#[test]
fn a_call_in_both_scopes_counts_once_and_again_when_it_is_made_again() {
    for together in [true, false] {
        let world = World::new(TWO);
        let config = world.path("app/hooks.yaml");
        let lines = [GEMINI.to_vec(), [&GEMINI[..], &["--config", &config]].concat()];
        let call = |command: &str| match together {
            true => at_once(&world, &lines, &gemini(command)),
            false => lines.iter().map(|line| world.run(line, &gemini(command))).collect(),
        };
        are_silent(&call("ls"));
        // The very same call is another call.
        are_silent(&call("ls"));
        assert_eq!(world.records(), 2, "together: {together}");
        for told in call("ls") {
            told.says("2 of 2 times");
        }
    }
}

#[test]
fn calls_that_are_made_at_once_count_each() {
    let world = World::new(TWO);
    let config = world.path("app/hooks.yaml");
    let line = GEMINI.to_vec();
    let other = [&GEMINI[..], &["--config", &config]].concat();
    // Three calls with the same arguments, in two lines: whatever their order, two go ahead.
    let lines = [&line, &line, &line, &other, &other, &other].map(Clone::clone);
    let told = at_once(&world, &lines, &gemini("ls"));
    for of_line in told.chunks(3) {
        let denied = of_line.iter().filter(|told| told.stdout.contains("2 of 2 times")).count();
        assert!(denied >= 1, "{told:?}");
    }
}

#[test]
fn nobody_else_pays_for_a_call() {
    let one = TWO.replace("most: 2", "most: 1");
    let world = World::new(&one);
    world.run(&GEMINI, &gemini("ls")).is_silent();
    // Other rules, another agent, another folder for state, and a process that ends too early.
    world.write("other/hooks.yaml", "version: 1\naudit: {}\n");
    let elsewhere = world.path("other/hooks.yaml");
    let state = world.path("other/state");
    for (options, variables) in [
        (&["--config", &*elsewhere][..], &[][..]),
        (&["--deadline", "1ms"], &[]),
        (&["--deadline", "49s"], &[("XDG_STATE_HOME", &*state)]),
    ] {
        world.run_with(&[&GEMINI[..], options].concat(), variables, &gemini("ls"));
        world.run(&GEMINI, &gemini("ls")).says("1 of 1 times");
    }
}

#[test]
fn a_denial_stands_and_is_recorded_once() {
    let rules =
        "version: 1\naudit: {}\nrules: [{ name: r, action: deny, commands: [ls], reason: not here }]\n";
    let world = World::new(rules);
    let config = world.path("app/hooks.yaml");
    let lines = [GEMINI.to_vec(), [&GEMINI[..], &["--config", &config]].concat()];
    for calls in 1..=2 {
        for told in at_once(&world, &lines, &gemini("ls")) {
            told.says("not here");
        }
        assert_eq!(world.records(), calls);
    }
    // A call that was denied pays for none that goes ahead.
    world.write("app/hooks.yaml", TWO);
    world.sessions_begin();
    for _ in 0..2 {
        are_silent(&at_once(&world, &lines, &gemini("ls")));
    }
    at_once(&world, &lines, &gemini("ls")).iter().for_each(|told| told.says("2 of 2 times"));
}

#[test]
fn copilot_runs_the_lines_of_other_clients_and_each_call_counts_once() {
    let world = World::new(TWO);
    let variables = [("COPILOT_PROJECT_DIR", &*world.path("app")), ("COPILOT_CLI", "1")];
    let call = |tool: &str, arguments: &Value| {
        let (own, other) = copilot(tool, arguments);
        let own = world.run_with(&["--client", "copilot", "--event", "preToolUse"], &variables, &own);
        let others = ["vscode", "claude"]
            .map(|client| world.run_with(&["--client", client, "--event", "PreToolUse"], &variables, &other));
        std::iter::once(own).chain(others).collect::<Vec<_>>()
    };
    are_silent(&call("bash", &json!({"command": "ls"})));
    are_silent(&call("create", &json!({"path": "a.txt", "file_text": "x"})));
    assert_eq!(world.records(), 2);
    for told in call("bash", &json!({"command": "ls"})) {
        told.says("2 of 2 times");
        // In the form of Copilot CLI, which ignores others.
        assert!(told.answer()["permissionDecision"] == "deny" || told.stdout.contains("hookSpecificOutput"));
    }
    // A dialog has the form of Copilot CLI's own payload at every line.
    let dialog = json!({"sessionId": "s", "timestamp": 1, "cwd": "/home/ada/app", "hookName": "permissionRequest",
        "toolName": "bash", "toolInput": {"command": "ls"}, "permissionSuggestions": []});
    let line = ["--client", "claude", "--event", "PermissionRequest"];
    world.run_with(&line, &variables, &dialog.to_string()).is_silent();
}

/// A client that an agent of Copilot CLI starts has its variables, and payloads of its own.
#[test]
fn a_client_below_copilot_is_still_that_client() {
    let world = World::new("version: 1\nrules: [{ name: r, action: deny, tools: ['*'], reason: no }]\n");
    let variables = [("COPILOT_PROJECT_DIR", &*world.path("other"))];
    let line = ["--client", "claude", "--event", "PreToolUse"];
    let told = world.run_with(&line, &variables, &super::claude("Bash", &json!({"command": "ls"})));
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    assert!(told.answer().get("permissionDecision").is_none(), "{told:?}");
}

#[test]
fn one_call_in_two_lines_is_no_circle() {
    let world = World::new("version: 1\nlimits: { loops: { rounds: 2, action: deny } }\n");
    let config = world.path("app/hooks.yaml");
    let after = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/home/ada/app", "hook_event_name": "AfterTool",
        "timestamp": "2026-11-24T03:12:11.605Z", "tool_name": "run_shell_command", "tool_input": {"command": "ls"},
        "tool_response": {"llmContent": "a", "returnDisplay": "a"}})
    .to_string();
    let line = ["--client", "gemini", "--event", "AfterTool"];
    let lines = [line.to_vec(), [&line[..], &["--config", &config]].concat()];
    are_silent(&at_once(&world, &lines, &after));
    world.run(&GEMINI, &gemini("ls")).is_silent();
    are_silent(&at_once(&world, &lines, &after));
    world.run(&GEMINI, &gemini("ls")).says("2 times in a row");
}

#[test]
fn the_same_line_is_logged_once() {
    let world = World::new("version: 1\nrules: 3\n");
    let log = || fs::read_to_string(world.path("home/.local/state/hooks/run.log")).unwrap().lines().count();
    for command in ["ls", "ls", "pwd"] {
        world.run(&GEMINI, &gemini(command)).says("cannot be used");
    }
    assert_eq!(log(), 1);
    world.write("app/hooks.yaml", "version: 1\nrules: 4\nmore: 1\n");
    world.run(&GEMINI, &gemini("ls")).says("cannot be used");
    assert_eq!(log(), 2);
}
