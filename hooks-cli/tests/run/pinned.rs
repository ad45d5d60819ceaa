//! A session goes on under the rules that it began with, until a person confirms others.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::terminal::at_a_terminal;
use super::{Told, World};

const STRICT: &str = "version: 1\ncommand_guard: { block: [dd] }\n";
const LAX: &str = "version: 1\n";

const HOOKS: &str = env!("CARGO_BIN_EXE_hooks");

/// The answer of the program to a person.
#[derive(Debug)]
struct Seen {
    exit: i32,
    text: String,
}

impl World {
    /// A person calls `hooks reload` at a terminal.
    fn reload(&self, options: &[&str], typed: &str) -> Seen {
        let (status, text) = at_a_terminal(&mut self.command(HOOKS, &[&["reload"], options].concat()), typed);
        Seen { exit: status.code().unwrap(), text }
    }

    /// A call in a session.
    fn call(&self, session: &str) -> Told {
        let call = json!({"session_id": session, "cwd": "/home/ada/app", "prompt_id": "p", "tool_use_id": "toolu_1",
            "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}});
        self.run(&["--client", "claude", "--event", "PreToolUse"], &call.to_string())
    }
}

#[track_caller]
fn is_denied(told: &Told) {
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    told.says("the rules changed since this session began");
}

#[test]
fn changed_rules_govern_after_a_person_confirmed_them() {
    let world = World::new(STRICT);
    world.call("s").is_silent();
    world.write("app/hooks.yaml", LAX);
    is_denied(&world.call("s"));
    // A session that begins now has no other rules to go on under.
    world.call("t").is_silent();
    is_denied(&world.call("s"));

    let seen = world.reload(&[], "n\n");
    assert!(seen.exit == 1 && seen.text.contains("-command_guard"), "{seen:?}");
    is_denied(&world.call("s"));
    let seen = world.reload(&[], "y\n");
    assert!(seen.exit == 0 && seen.text.contains("confirmed"), "{seen:?}");
    world.call("s").is_silent();

    // What was confirmed once is not confirmed for ever.
    world.write("app/hooks.yaml", STRICT);
    let seen = world.reload(&["--yes"], "");
    assert_eq!(seen.exit, 0, "{seen:?}");
    world.call("s").is_silent();
    world.write("app/hooks.yaml", LAX);
    is_denied(&world.call("s"));
    // Back to the rules of the session.
    world.write("app/hooks.yaml", STRICT);
    world.call("s").is_silent();
    let seen = World::new(STRICT).reload(&[], "");
    assert!(seen.exit == 0 && seen.text.contains("nothing to confirm"), "{seen:?}");
}

#[test]
fn another_file_of_rules_is_a_change() {
    let world = World::new(STRICT);
    world.call("s").is_silent();
    // The repository ends elsewhere, so another file is the outermost.
    world.write(".hooks/hooks.yaml", LAX);
    fs::create_dir(world.path(".git")).unwrap();
    is_denied(&world.call("s"));
}

#[test]
fn rules_that_switch_their_protection_off_are_a_change_too() {
    let world = World::new(STRICT);
    world.call("s").is_silent();
    world.write("app/hooks.yaml", "version: 1\nself_protection: false\n");
    is_denied(&world.call("s"));
    // A session that begins under them is not pinned: its agents may change them.
    world.call("t").is_silent();
    world.write("app/hooks.yaml", "version: 1\nself_protection: false\ncommand_guard: {}\n");
    world.call("t").is_silent();
}

#[test]
fn what_cannot_be_compared_is_denied() {
    let world = World::new(STRICT);
    world.call("s").is_silent();
    let pins = world.path("home/.local/state/hooks/rules/sessions");
    let pin = fs::read_dir(&pins).unwrap().next().unwrap().unwrap().path();
    fs::write(&pin, "{").unwrap();
    let told = world.call("s");
    assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{told:?}");
    told.says("cannot be compared with those it began with");
}

#[test]
fn an_agent_cannot_confirm() {
    let world = World::new(STRICT);
    world.call("s").is_silent();
    world.write("app/hooks.yaml", LAX);
    let told = world.program("reload", &["--yes"], "");
    assert_eq!(told.exit, Some(2), "{told:?}");
    let mut marked = world.command(HOOKS, &["reload", "--yes"]);
    let (_, text) = at_a_terminal(marked.env("CLAUDECODE", "1"), "");
    assert!(text.contains("CLAUDECODE"), "{text}");
    let client = world.path("claude");
    symlink("/bin/sh", &client).unwrap();
    let line = format!("'{HOOKS}' reload --yes; exit $?");
    let (_, text) = at_a_terminal(&mut world.command(&client, &["-c", &line]), "");
    assert!(text.contains("`claude` started it"), "{text}");
    is_denied(&world.call("s"));
    // The command itself, in every spelling that a shell takes.
    world.write("app/hooks.yaml", STRICT);
    for command in ["hooks reload", "hooks reload --yes", "script -qc 'hooks reload -y' /dev/null"] {
        let call: Value = json!({ "command": command });
        let told = world.claude("Bash", &call);
        assert_eq!(told.answer()["hookSpecificOutput"]["permissionDecision"], "deny", "{command}: {told:?}");
    }
}

#[test]
fn many_first_events_pin_once() {
    let world = World::new(STRICT);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| world.call("s").is_silent());
        }
    });
    let count =
        |folder: &str| fs::read_dir(world.path("home/.local/state/hooks/rules") + folder).unwrap().count();
    assert_eq!((count("/sessions"), count("/texts")), (1, 1));
}
