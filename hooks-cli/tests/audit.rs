//! `hooks audit`, and what the other commands put on the record.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with the folder of a team.
struct World {
    folder: TempDir,
}

impl World {
    fn new(config: &str) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(world.app().join(".squad")).unwrap();
        fs::create_dir_all(world.app().join(".git")).unwrap();
        fs::write(world.app().join("hooks.yaml"), config).unwrap();
        world
    }

    fn app(&self) -> PathBuf {
        self.folder.path().join("app")
    }

    fn log(&self) -> PathBuf {
        self.app().join(".squad/orchestration-log")
    }

    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
        command.args(options).current_dir(self.app()).env_clear().env("HOME", self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn ask(&self, options: &[&str], input: &str) -> Output {
        let mut child = self.command(options).spawn().unwrap();
        // A program that does not read is right to close it.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        child.wait_with_output().unwrap()
    }

    /// Has a call of `session` judged as an agent client has it.
    fn call(&self, session: &str, command: &str) -> Output {
        let payload = json!({
            "session_id": session, "cwd": self.app(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_use_id": "t1", "transcript_path": "",
        });
        self.ask(&["run", "--client", "claude", "--event", "PreToolUse"], &payload.to_string())
    }

    fn audit(&self, options: &[&str]) -> Output {
        self.ask(&[&["audit"], options].concat(), "")
    }
}

/// The records that were printed, without their positions.
fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line.split_once(' ').unwrap().1).unwrap()).collect()
}

#[test]
fn a_team_has_a_log_unless_it_is_switched_off() {
    let world = World::new("version: 1\ncommand_guard: { block: [sudo] }\n");
    for command in ["ls", "sudo ls", "cat a"] {
        assert_eq!(world.call("s1", command).status.code(), Some(0));
    }
    let records = records(&world.audit(&["tail"]));
    let outcomes: Vec<_> = records.iter().map(|record| record["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["no_opinion", "deny", "no_opinion"]);
    assert_eq!(world.audit(&["verify"]).status.code(), Some(0));
    let files = fs::read_dir(world.log()).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "jsonl")
    });
    assert_eq!(files.count(), 1, "each process goes on in the file of the one before");

    let off = World::new("version: 1\naudit: false\n");
    assert_eq!(off.call("s1", "ls").status.code(), Some(0));
    assert!(!off.log().exists());
}

#[test]
fn what_is_asked_about_is_not_on_the_record() {
    let world = World::new("version: 1\naudit: {}\ncommand_guard: {}\n");
    let event = r#"{"event": "pre_tool_use", "tool_name": "bash", "tool_args": {"command": "ls"}}"#;
    for options in [
        &["check", "hooks.yaml"][..],
        &["eval", "-c", "hooks.yaml"],
        &["explain", "-c", "hooks.yaml", "--tool", "bash", "--args", r#"{"command": "ls"}"#],
        &["bench", "-c", "hooks.yaml", "--time", "1"],
    ] {
        let output = world.ask(options, event);
        assert_eq!(output.status.code(), Some(0), "{options:?}: {output:?}");
        assert!(!world.log().exists(), "{options:?}");
    }
    assert_eq!(world.ask(&["eval", "-c", "hooks.yaml", "--record"], event).status.code(), Some(0));
    assert_eq!(records(&world.audit(&["tail"])).len(), 1);
}
