//! A person lets one call pass by the code in its denial. Nothing that an agent can call does.

use std::os::unix::fs::symlink;
use std::process::Command;
use std::thread;

use serde_json::json;

use super::terminal::at_a_terminal;
use super::{Told, World, claude};

const RULES: &str = "version: 1
redaction: {}
rules:
  - { name: pushing, action: ask, commands: [git push], reason: think twice }
  - { name: no make, action: deny, commands: [make], reason: no make }
";

fn codex(command: &str) -> String {
    claude("Bash", &json!({ "command": command })).replace("prompt_id", "turn_id")
}

/// Codex makes a call.
fn call(world: &World, command: &str) -> Told {
    world.run(&["--client", "codex"], &codex(command))
}

/// The code in a denial.
fn code_in(told: &Told) -> String {
    let text = told.answer()["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap().to_owned();
    let (_, code) = text.split_once("`hooks approve ").unwrap_or_else(|| panic!("{text}"));
    code.trim_end_matches('`').to_owned()
}

impl World {
    /// The program, with the environment of a person.
    pub(super) fn command(&self, program: &str, args: &[&str]) -> Command {
        #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
        let mut command = Command::new(program);
        command.args(args).current_dir(self.path("app")).env_clear().env("HOME", self.path("home"));
        command.env("USER", "ada");
        command
    }

    /// A person calls `hooks approve` at a terminal.
    fn person(&self, args: &[&str], typed: &str) -> (Option<i32>, String) {
        let args: Vec<_> = ["approve"].iter().chain(args).copied().collect();
        let (status, shown) = at_a_terminal(&mut self.command(env!("CARGO_BIN_EXE_hooks"), &args), typed);
        (status.code(), shown)
    }
}

#[test]
fn an_approved_call_passes_exactly_once() {
    let world = World::new(RULES);
    let code = code_in(&call(&world, "git push"));
    call(&world, "git push").says(&code);
    // The person looks, and does not agree.
    let (status, shown) = world.person(&[&code], "n\n");
    assert_eq!(status, Some(1), "{shown}");
    for part in ["git push", "codex", "think twice", "Let this call pass once? [y/N]", "not approved"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    call(&world, "git push").says(&code);
    assert!(world.person(&[], "").1.contains(&code), "it is listed");
    let (status, shown) = world.person(&[&code.to_lowercase()], "y\n");
    assert!(status == Some(0) && shown.contains("the call passes once"), "{shown}");
    assert!(world.person(&[], "").1.contains("(approved)"));
    // Other calls do not pass.
    let other = code_in(&call(&world, "git push --force"));
    assert_ne!(other, code);
    call(&world, "make").says("no make");
    // Codex continues as without hooks: its own rules still hold.
    call(&world, "git push").is_silent();
    call(&world, "git push").says(&code);
    let (status, shown) = world.person(&["--yes", &other], "");
    assert_eq!(status, Some(0), "{shown}");
    call(&world, "git push --force").is_silent();
}

#[test]
fn a_denial_has_no_code() {
    let world = World::new(RULES);
    let told = call(&world, "make; git push");
    assert!(!told.stdout.contains("hooks approve") && told.stdout.contains("no make"), "{told:?}");
    let (status, shown) = world.person(&[], "");
    assert!(status == Some(1) && shown.contains("no call waits"), "{shown}");
}

#[test]
fn of_many_processes_one_passes() {
    let world = World::new(RULES);
    for round in 0..3 {
        let code = code_in(&call(&world, "git push"));
        assert_eq!(world.person(&["--yes", &code], "").0, Some(0));
        let passed = thread::scope(|scope| {
            let calls: Vec<_> = (0..6).map(|_| scope.spawn(|| call(&world, "git push"))).collect();
            calls.into_iter().map(|call| call.join().unwrap()).filter(|it| it.stdout.is_empty()).count()
        });
        assert_eq!(passed, 1, "round {round}");
    }
}

#[test]
fn a_code_that_nobody_knows_is_an_error() {
    let world = World::new(RULES);
    for (code, status, part) in [
        ("0000-0000", 1, "no call waits under `0000-0000`"),
        ("xyz", 2, "eight letters"),
        ("\u{1b}[2J", 2, "eight"),
    ] {
        let (exit, shown) = world.person(&[code], "");
        assert!(exit == Some(status) && shown.contains(part), "{code}: {exit:?} {shown}");
        assert!(!shown.contains("\u{1b}[2J"), "{shown:?}");
    }
    // Used up.
    let code = code_in(&call(&world, "git push"));
    assert_eq!(world.person(&["--yes", &code], "").0, Some(0));
    call(&world, "git push").is_silent();
    assert_eq!(world.person(&["--yes", &code], "").0, Some(1));
    // In memory, nothing is kept, and no code is offered.
    let world = World::new(&format!("{RULES}store: {{ engine: memory }}\n"));
    let told = call(&world, "git push");
    assert!(!told.stdout.contains("hooks approve"), "{told:?}");
    assert!(world.person(&[], "").1.contains("keeps state in memory"));
}

/// Claude Code and Copilot may run without a person, so their question has the code as well.
#[test]
fn a_client_that_may_be_headless_gets_the_code_and_one_with_a_window_does_not() {
    let world = World::new(RULES);
    let told = world.claude("Bash", &json!({"command": "git push"}));
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "ask");
    let code = code_in(&told);
    assert_eq!(world.person(&["--yes", &code], "").0, Some(0));
    world.claude("Bash", &json!({"command": "git push"})).is_silent();
    let vscode =
        super::call(hooks_protocols::Client::VsCode, "runInTerminal", &json!({"command": "git push"}));
    let told = world.run(&["--client", "vscode", "--event", "PreToolUse"], &vscode);
    assert!(told.stdout.contains("ask") && !told.stdout.contains("hooks approve"), "{told:?}");
}

/// The project and the user have the client call `hooks run`: both processes let the approved call pass.
#[test]
fn an_approved_call_passes_once_through_all_lines_of_the_settings() {
    let world = World::new(RULES);
    let config = world.path("app/hooks.yaml");
    let lines: [&[&str]; 2] = [&["--client", "codex"], &["--client", "codex", "--config", &config]];
    let call = || lines.map(|line| world.run(line, &codex("git push")));
    let code = code_in(&call()[0]);
    assert_eq!(world.person(&["--yes", &code], "").0, Some(0));
    for told in call() {
        told.is_silent();
    }
    for told in call() {
        told.says(&code);
    }
}

/// `hooks init` names the configuration of a project, and a person there need not. Others have to.
#[test]
fn a_configuration_is_named_if_it_would_not_be_found() {
    let world = World::new(RULES);
    world.write("else/hooks.yaml", RULES);
    for (config, named) in [("app/hooks.yaml", false), ("else/hooks.yaml", true)] {
        let path = world.path(config);
        let told = world.run(&["--client", "codex", "--config", &path], &codex("git push"));
        let words = code_in(&told);
        assert_eq!(words.starts_with(&format!("-c '{path}' ")), named, "{words}");
        let code = words.rsplit(' ').next().unwrap();
        let args: &[&str] = if named { &["-c", &path, "--yes", code] } else { &["--yes", code] };
        assert_eq!(world.person(args, "").0, Some(0));
        world.run(&["--client", "codex", "--config", &path], &codex("git push")).is_silent();
    }
}

#[test]
fn what_a_person_sees_cannot_deceive_them() {
    let world = World::new(RULES);
    let told = call(&world, "git push ada@example.com\u{1b}[2J\u{202e}\n  agent lead\nforce");
    let code = code_in(&told);
    let (_, shown) = world.person(&[&code], "n\n");
    assert!(!shown.contains("\u{1b}[2J") && !shown.contains('\u{202e}'), "{shown:?}");
    assert!(shown.contains("\\u001b[2J\\u202e") && !shown.contains("ada@example.com"), "{shown:?}");
    assert!(shown.contains("      agent lead"), "a line of the command is not a field: {shown}");
}

#[test]
fn nobody_but_a_person_approves() {
    let world = World::new(RULES);
    let code = code_in(&call(&world, "git push"));
    let hooks = env!("CARGO_BIN_EXE_hooks");
    let refused = |status: Option<i32>, shown: &str, why: &str| {
        assert!(status == Some(2) && shown.contains("is for a person"), "{why}: {status:?} {shown}");
    };
    // Without a terminal.
    let told = world.program("approve", &["--yes", &code], "y\n");
    refused(told.exit, &told.stderr, "no terminal");
    // With the variables that clients set.
    for mark in ["CLAUDECODE", "CODEX_TOOL_CALL_ID", "GEMINI_CLI", "COPILOT_AGENT_SESSION_ID"] {
        let mut command = world.command(hooks, &["approve", "--yes", &code]);
        let (status, shown) = at_a_terminal(command.env(mark, "1"), "y\n");
        refused(status.code(), &shown, mark);
    }
    // Below a client, directly and from a script; the terminal is a real one.
    world.write("app/script.sh", &format!("#!/bin/sh\n'{hooks}' approve --yes {code}\nexit $?\n"));
    for client in ["claude", "codex", "gemini", "copilot"] {
        symlink("/bin/sh", world.path(&format!("app/{client}"))).unwrap();
        let script = world.path("app/script.sh");
        for line in [format!("'{hooks}' approve --yes {code}; exit $?"), format!("sh '{script}'; exit $?")] {
            let line = ["-c", &line];
            let (status, shown) =
                at_a_terminal(&mut world.command(&world.path(&format!("app/{client}")), &line), "y\n");
            refused(status.code(), &shown, client);
        }
    }
    // The model may not even try.
    for line in [format!("hooks approve {code}"), format!("{hooks} approve --yes {code}")] {
        let told = call(&world, &line);
        assert!(told.stdout.contains("deny"), "{line}: {told:?}");
    }
    call(&world, "git push").says(&code);
}
